import { type Database, openDatabase } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { Box, BoxItem } from '#test/template/support/library/boxes.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/template/support/replicated-postgres.ts'
import { execute } from './expect-no-torn-reads.ts'
import { snapshotResources } from './resources.ts'
import { findTornReads, initialState, stateStatements, type TornReads } from './torn-reads.ts'

/** An application that reads from a standby server. */
export interface ReplicatedApp {
  readonly servers: ReplicatedPostgres
  readonly database: Database
  readonly app: TestApp
  findTornReads(reads: number): Promise<TornReads>
  close(): Promise<void>
}

export async function startReplicatedApp(): Promise<ReplicatedApp> {
  const servers = await startReplicatedPostgres()
  const database = await openDatabase({
    databaseUrl: servers.primaryUrl,
    replicaUrls: [servers.standbyUrl],
    databaseLimits: { ...defaultLimits, replicaLag: 600 },
    dataDir: null,
    entities: [Shelf, Book, Tag, Label, Box, BoxItem],
    migrations: [],
  })
  await database.orm.schema.create()
  await execute(database, initialState)
  await servers.follow()
  const app = await startApp({ database, resources: snapshotResources, onWrite: () => {} })
  const write = (state: number) => execute(database, stateStatements(state))
  return {
    servers,
    database,
    app,
    findTornReads: (reads) => findTornReads({ url: app.client.url, reads, write }),
    async close() {
      await app.close()
      await database.close()
      await servers.close()
    },
  }
}
