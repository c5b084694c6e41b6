import { expect } from 'chai'
import { expectExactlyOnce } from '#test/template/support/keyed-clients.ts'

const kills = 2

describe('Service killed while clients repeat requests with idempotency keys', () => {
  it(`gives every key exactly one effect, with ${kills} kills and a tenth of the responses lost`, async function () {
    this.timeout(900_000)
    const { answered, lost, replayed } = await expectExactlyOnce(kills, 20_261_116)
    expect(answered).to.be.above(kills * 5)
    expect(lost).to.be.above(0)
    expect(replayed).to.be.above(0)
  })
})
