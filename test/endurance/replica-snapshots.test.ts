import { expect } from 'chai'
import { type Database, openDatabase } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { execute } from '#test/snapshot/expect-no-torn-reads.ts'
import { snapshotResources } from '#test/snapshot/resources.ts'
import { findTornReads, initialState, stateStatements } from '#test/snapshot/torn-reads.ts'
import { startApp, type TestApp } from '#test/support/app.ts'
import { describeIf, hasServer } from '#test/support/describe-if.ts'
import { Box, BoxItem } from '#test/support/library/boxes.ts'
import { Book, Label, Shelf, Tag } from '#test/support/library/entities.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '#test/support/replicated-postgres.ts'

const reads = 3_000
const path = '/labels/1?include=shelf'

describeIf(!hasServer)('Snapshot reads on a replica', () => {
  let servers: ReplicatedPostgres
  let database: Database
  let app: TestApp

  before(async () => {
    servers = await startReplicatedPostgres()
    database = await openDatabase({
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
    app = await startApp({ database, resources: snapshotResources, onWrite: () => {} })
  })
  after(async () => {
    await app?.close()
    await database?.close()
    await servers?.close()
  })
  beforeEach(() => servers.follow())

  const states = async () => {
    const { status, body } = await app.client.get(path)
    expect(status).to.equal(200)
    return [body.data.attributes.text, body.included[0].attributes.name]
  }
  /** Writes a state that the standby has not replayed. */
  const writeUnreplicated = async (state: number) => {
    await servers.hold()
    for (const sql of stateStatements(state)) await servers.onPrimary(sql)
  }

  it(`show one state of the database in each of ${reads} documents`, async () => {
    const write = (state: number) => execute(database, stateStatements(state))
    const { torn } = await findTornReads({ url: app.client.url, reads, write })
    expect(torn).to.deep.equal([])
  })

  it('read all statements from the replica', async () => {
    const [before] = await states()
    await writeUnreplicated(1_000_001)
    expect(await states()).to.deep.equal([before, before])
  })

  it('start again on the primary when the replica closes the connection between two statements', async () => {
    const [before] = await states()
    await writeUnreplicated(1_000_003)
    const { replicas } = database
    let closes = 1
    const interrupted: Database = {
      ...database,
      replicas: {
        ...(replicas as NonNullable<typeof replicas>),
        sourceFor(origin) {
          const source = (replicas as NonNullable<typeof replicas>).sourceFor(origin)
          return {
            ...source,
            async beginSnapshot() {
              const connection = await source.beginSnapshot()
              let sent = 0
              return {
                cancel: () => connection.cancel(),
                end: (statement) => connection.end(statement),
                async query(sql, parameters) {
                  if (++sent === 2 && closes-- > 0) {
                    await connection.query('select pg_terminate_backend(pg_backend_pid())', []).catch(() => {})
                  }
                  return connection.query(sql, parameters)
                },
              }
            },
          }
        },
      },
    }
    const other = await startApp({ database: interrupted, resources: snapshotResources, onWrite: () => {} })
    try {
      const { body } = await other.client.get(path)
      expect([body.data.attributes.text, body.included[0].attributes.name]).to.deep.equal(['1000003', '1000003'])
      expect(before).not.to.equal('1000003')
    } finally {
      await other.close()
    }
  })

  it('return 200 while the replica is stopped', async () => {
    await servers.stopStandby()
    for (let time = 0; time < 20; time++) expect(new Set(await states())).to.have.length(1)
    await servers.startStandby()
  })
})
