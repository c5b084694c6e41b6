import type { PoolState } from '#kernel/store'
import { type Database, openDatabase } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Client } from '#test/support/client.ts'
import { closeLibrary, libraryDatabase, libraryEntities, startLibrary } from '#test/template/support/library/index.ts'
import { injectEmbeddedFaults } from './embedded-faults.ts'
import type { FaultInjector } from './faults.ts'
import { faultResources, faultRows } from './resources.ts'
import { copyTables, type TableState } from './table-state.ts'
import { startWireProxy } from './wire-proxy.ts'

/** The application whose driver calls fail. */
export interface Subject {
  readonly client: Client
  readonly injector: FaultInjector
  readonly tables: TableState
  /** The connection pool; undefined on the embedded database. */
  readonly pool?: (() => PoolState) | undefined
  /** Cuts all connections and refuses new ones, or accepts them again. */
  refuseConnections(isRefused: boolean): void
}

/** Starts the application on the server of DATABASE_URL behind a proxy, or on the embedded database. */
export async function withSubject<T>(work: (subject: Subject) => Promise<T>): Promise<T> {
  const direct = await libraryDatabase()
  try {
    return direct.url ? await onServer(direct.url, work) : await onEmbedded(direct, work)
  } finally {
    await closeLibrary()
  }
}

async function onServer<T>(url: string, work: (subject: Subject) => Promise<T>): Promise<T> {
  const proxy = await startWireProxy(url)
  const databaseLimits = { ...defaultLimits, connections: 3 }
  const database = await openDatabase({
    databaseUrl: proxy.url,
    dataDir: null,
    entities: libraryEntities,
    migrations: [],
    databaseLimits,
  })
  const refuseConnections = (isRefused: boolean) => {
    proxy.refuseConnections(isRefused)
    if (isRefused) proxy.cutAll()
  }
  try {
    // The job queue has connections of its own, whose calls are not counted.
    return await serve({ ...database, url }, proxy, { refuseConnections, pool: database.pool }, work)
  } finally {
    await database.close()
    await proxy.close()
  }
}

async function onEmbedded<T>(database: Database, work: (subject: Subject) => Promise<T>): Promise<T> {
  const injector = await injectEmbeddedFaults(database)
  return serve(database, injector, { refuseConnections: () => {} }, work)
}

async function serve<T>(
  database: Database,
  injector: FaultInjector,
  connections: Pick<Subject, 'refuseConnections' | 'pool'>,
  work: (subject: Subject) => Promise<T>,
): Promise<T> {
  const { app, client, close } = await startLibrary({ resources: faultResources, database })
  try {
    await app.store.queue.start()
    await injector.query(faultRows)
    const tables = await copyTables(injector.query)
    return await work({ client, injector, tables, ...connections })
  } finally {
    await close()
  }
}
