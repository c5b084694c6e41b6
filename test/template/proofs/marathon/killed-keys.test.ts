import { expect } from 'chai'
import { expectExactlyOnce } from '#test/template/support/keyed-clients.ts'

const kills = 100

describe('Service killed while clients repeat requests with idempotency keys', () => {
  it(`gives every key exactly one effect, with ${kills} kills and a tenth of the responses lost`, async () => {
    const { answered, replayed, decided } = await expectExactlyOnce(kills, 20_261_117)
    expect(answered).to.be.above(kills * 5)
    expect(replayed).to.be.above(kills / 10)
    expect(decided).to.be.above(0)
  })
})
