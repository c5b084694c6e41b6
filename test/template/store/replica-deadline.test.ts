import { expect } from 'chai'
import { createDeadlines } from '#app/http/deadline.ts'
import { replicaSource } from '#app/replicas/replica-source.ts'
import type { Deadline } from '#kernel/store'
import type { Readable } from '#store/transaction/read-source.ts'
import { type ManualClock, manualClock } from '#test/support/clock.ts'

// A read with a WAL position that this process has not observed yet polls the primary before it chooses a server.

describe('A read that waits for the WAL position of the primary', () => {
  let clock: ManualClock
  let deadline: Deadline
  let sent: (Deadline | null | undefined)[]
  let position: ReturnType<typeof Promise.withResolvers<void>>
  beforeEach(() => {
    clock = manualClock()
    deadline = createDeadlines(1000, clock)({ headersSent: false }) as Deadline
    sent = []
    position = Promise.withResolvers()
  })
  const primary: Readable = {
    async query(_sql, _values, given) {
      sent.push(given)
      return [{ answer: 1 }]
    },
    beginSnapshot: () => Promise.reject(new Error('The read has one statement.')),
  }
  const chooseAfterPosition = () => position.promise.then(() => undefined)
  const nextTurn = () => new Promise(setImmediate)

  it('rejects with 503 at its deadline when the position never arrives, and sends no statement', async () => {
    const { query } = replicaSource(chooseAfterPosition, primary)
    const read = query('select 1', [], deadline).catch((error: unknown) => error)
    clock.advance(999)
    await nextTurn()
    expect(deadline.hasExpired).to.equal(false)
    clock.advance(1)
    expect(await read).to.include({ status: 503 })
    position.resolve()
    await nextTurn()
    expect(sent).to.deep.equal([])
  })

  it('sends no statement when the position arrives after the deadline has passed unnoticed', async () => {
    const { query } = replicaSource(chooseAfterPosition, primary)
    const read = query('select 1', [], deadline).catch((error: unknown) => error)
    clock.skip(1001)
    position.resolve()
    expect(await read).to.include({ status: 503 })
    expect(sent).to.deep.equal([])
  })

  it('waits once for all statements of a read, and sends them with their deadline', async () => {
    let waits = 0
    const choose = () => {
      waits++
      return chooseAfterPosition()
    }
    const { query } = replicaSource(choose, primary)
    const read = Promise.all([query('select 1', []), query('select 2', [], deadline), query('select 3', [], null)])
    position.resolve()
    await read
    expect(waits).to.equal(1)
    expect(sent).to.have.members([undefined, deadline, null])
  })
})
