import { expect } from 'chai'
import { createLagWindow } from '#app/replicas/lag-window.ts'
import { createReadYourWrites } from '#app/replicas/read-your-writes.ts'
import type { Peers } from '#store/connection/types.ts'

const lag = 5

// test/template/proofs/endurance/replicas.test.ts tests it over HTTP.
describe('A write whose WAL position is unknown', () => {
  it('pins its client to the primary for twice the allowed lag, in all processes of the host', () => {
    let now = 0
    let receive: (message: unknown) => void = () => {}
    const create = (peers: Peers) => createReadYourWrites(createLagWindow(lag * 1000), lag, peers, () => now)
    const writer = create({ broadcast: (message) => receive(message), onMessage: () => {} })
    const peer = create({
      broadcast: () => {},
      onMessage(listener) {
        receive = listener
      },
    })
    const pinned = () => [writer, peer].map(({ isPinned }) => isPinned(undefined))
    writer.record(undefined, 10n)
    expect(pinned()).to.deep.equal([false, false])
    writer.record(undefined, null)
    expect(pinned()).to.deep.equal([true, true])
    now = 2000 * lag - 1
    expect(pinned()).to.deep.equal([true, true])
    now++
    expect(pinned()).to.deep.equal([false, false])
  })
})
