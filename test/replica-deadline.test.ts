import { expect } from 'chai'
import { createDeadlines, type Deadline } from '#kernel/store'
import { queryAfterRefresh } from '#store/replicas/after-refresh.ts'
import { type ManualClock, manualClock } from './support/clock.ts'

// A read with a WAL position that this process has not observed yet polls the primary before it chooses a server.

describe('A read that waits for the WAL position of the primary', () => {
  let clock: ManualClock
  let deadline: Deadline
  let sent: (Deadline | null | undefined)[]
  beforeEach(() => {
    clock = manualClock()
    deadline = createDeadlines(1000, clock)({ headersSent: false }) as Deadline
    sent = []
  })
  const never = () => new Promise<void>(() => {})
  const server = async (_sql: string, _values: readonly unknown[], given?: Deadline | null) => {
    sent.push(given)
    return [{ answer: 1 }]
  }
  const nextTurn = () => new Promise(setImmediate)

  it('rejects with 503 at its deadline when the position never arrives, and sends no statement', async () => {
    const timeout = Promise.withResolvers<void>()
    const query = queryAfterRefresh(
      never,
      () => server,
      () => timeout.promise,
    )
    const read = query('select 1', [], deadline).catch((error: unknown) => error)
    clock.advance(999)
    await nextTurn()
    expect(deadline.hasExpired).to.equal(false)
    clock.advance(1)
    expect(await read).to.include({ status: 503 })
    timeout.resolve()
    await nextTurn()
    expect(sent).to.deep.equal([])
  })

  it('sends no statement when the position arrives after the deadline has passed unnoticed', async () => {
    const position = Promise.withResolvers<void>()
    const query = queryAfterRefresh(
      () => position.promise,
      () => server,
      never,
    )
    const read = query('select 1', [], deadline).catch((error: unknown) => error)
    clock.skip(1001)
    position.resolve()
    expect(await read).to.include({ status: 503 })
    expect(sent).to.deep.equal([])
  })

  it('reads with its deadline when the position arrives, and when the wait ends without one', async () => {
    const whenPosition = queryAfterRefresh(
      async () => {},
      () => server,
      never,
    )
    const whenTimeout = queryAfterRefresh(
      never,
      () => server,
      async () => {},
    )
    for (const query of [whenPosition, whenTimeout]) {
      expect(await query('select 1', [], deadline)).to.deep.equal([{ answer: 1 }])
    }
    expect(sent).to.deep.equal([deadline, deadline])
  })

  it('polls once for all statements of a read', async () => {
    let polls = 0
    const refresh = async () => {
      polls++
    }
    const query = queryAfterRefresh(refresh, () => server, never)
    await Promise.all([query('select 1', []), query('select 2', [], deadline), query('select 3', [], null)])
    expect(polls).to.equal(1)
    expect(sent).to.have.length(3)
  })
})
