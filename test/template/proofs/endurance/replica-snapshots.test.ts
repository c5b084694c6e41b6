import { expect } from 'chai'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import { type ReplicatedApp, startReplicatedApp } from '#test/template/store/snapshot/replicated-app.ts'
import { snapshotResources } from '#test/template/store/snapshot/resources.ts'
import { stateStatements } from '#test/template/store/snapshot/torn-reads.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import type { ReplicatedPostgres } from '#test/template/support/replicated-postgres.ts'

const reads = 400
const path = '/labels/1?include=shelf'

describeIf(!hasServer)('Snapshot reads on a replica', () => {
  let replicated: ReplicatedApp
  let servers: ReplicatedPostgres
  let database: Database
  let app: TestApp

  before(async () => {
    replicated = await startReplicatedApp()
    ;({ servers, database, app } = replicated)
  })
  after(() => replicated?.close())
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
    const { torn } = await replicated.findTornReads(reads)
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
        sourceFor(requester) {
          const source = (replicas as NonNullable<typeof replicas>).sourceFor(requester)
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
