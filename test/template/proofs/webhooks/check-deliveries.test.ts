import { expect } from 'chai'
import { checkArrivals, type LoggedChange } from './check-deliveries.ts'
import { verifySignatures } from './verify-signatures.ts'

const change = (sequence: number, id: string, kind = 'updated'): LoggedChange => {
  return { sequence, type: 'books', id, kind, members: ['title'], changedAt: '2026-01-31T12:00:00.000Z' }
}
const [one, two, other] = [change(1, 'a', 'created'), change(2, 'a'), change(3, 'b')]
const log = [one, two, other]

describe('Comparison of deliveries with the change log', () => {
  it('finds nothing if every change has arrived in the order of its resource', () => {
    expect(checkArrivals(log, [other, one, two])).to.deep.equal({
      missing: [],
      foreign: [],
      disordered: [],
      repeated: 0,
    })
  })

  it('counts changes that have arrived again', () => {
    expect(checkArrivals(log, [one, one, two, other, other])).to.deep.include({ disordered: [], repeated: 2 })
  })

  it('finds a missing change', () => {
    expect(checkArrivals(log, [one, other]).missing).to.deep.equal([2])
  })

  it('finds changes of a resource in another order, also if the earlier one has arrived before', () => {
    expect(checkArrivals(log, [two, one, other]).disordered).to.deep.equal(['books a: 1 after 2'])
    expect(checkArrivals(log, [one, two, one, other]).disordered).to.deep.equal(['books a: 1 after 2'])
  })

  it('finds events that are not in the log, or say something else', () => {
    expect(checkArrivals(log, [...log, { ...one, sequence: undefined }]).foreign).to.have.length(1)
    expect(checkArrivals(log, [...log, { ...two, kind: 'deleted' }]).foreign).to.have.length(1)
  })
})

describe('Verification of signatures by another implementation', () => {
  const message = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }

  it('accepts the example of Standard Webhooks, and no other text, time, id or secret', async () => {
    const secret = `whsec_${'A'.repeat(32)}`
    const forged = [{ body: '{}' }, { timestamp: '1614265331' }, { id: 'msg_1' }, { secret }, { signature: 'v1,AAAA' }]
    const messages = [message, ...forged.map((change) => ({ ...message, ...change }))]
    expect(verifySignatures(messages)).to.deep.equal([true, false, false, false, false, false])
  })
})
