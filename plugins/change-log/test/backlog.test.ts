import { expect } from 'chai'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { claim } from '../run-consumer.ts'

/** Blocks that a claim of 16 deliveries may read and write; with a scan of the backlog it reads more than 1,000. */
const mostBlocks = 700

describe('A claim of deliveries', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    const { store } = started.app
    const insert = (receiver: string, keys: number, state: string, from: number, to: number) =>
      store.query(
        `insert into change_deliveries (consumer, receiver, sequence, type, key, payload, state)
         select 'webhooks', $1, n, 'books', (n % ${keys})::text, '{}', '${state}' from generate_series(${from}, ${to}) n`,
        [receiver],
      )
    await insert('receiver', 1_000, 'delivered', 1, 5_000)
    await insert('receiver', 1_000, 'waiting', 5_001, 10_000)
    await insert('paused', 5_000, 'waiting', 1, 10_000)
    await store.query(
      `update change_deliveries set due_at = now() + interval '1 hour' where receiver = 'paused' and is_first`,
    )
    await store.query('analyze change_deliveries')
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  it('does not read the backlog, the deliveries that are kept, or resources that are paused', async () => {
    expect(await claimFirst('[]', false)).to.equal(16)
    expect(await claimFirst('["receiver"]', false)).to.equal(0)
    expect(await claimFirst('["paused"]', true)).to.equal(0)
  })

  it('locks only the rows that it claims, however many receivers there are', async () => {
    await started.app.store.query(
      `insert into change_deliveries (consumer, receiver, sequence, type, key, payload)
       select 'many', 'receiver ' || (n % 20), n, 'books', n::text, '{}' from generate_series(1, 200) n`,
    )
    const plan = await explain(['many', 8, '[]', false])
    expect(lockedRows(plan)).to.deep.equal([8])
    expect(plan['Actual Rows']).to.equal(8)
  })

  /** Returns the number of claimed deliveries. */
  async function claimFirst(receivers: string, isIncluded: boolean): Promise<number> {
    const plan = await explain(['webhooks', 16, receivers, isIncluded])
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).to.be.below(mostBlocks)
    return plan['Actual Rows']
  }

  async function explain(parameters: readonly unknown[]): Promise<PlanNode> {
    const [row] = await started.app.store.query(`explain (analyze, buffers, format json) ${claim}`, parameters)
    const [explained] = Object.values(row ?? {})
    const [{ Plan }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [{ Plan: PlanNode }]
    return Plan
  }
})

/** The numbers of rows that the nodes of a plan lock. */
function lockedRows(node: PlanNode): number[] {
  const own = node['Node Type'] === 'LockRows' ? [node['Actual Rows'] * node['Actual Loops']] : []
  return [...own, ...(node.Plans ?? []).flatMap(lockedRows)]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}
