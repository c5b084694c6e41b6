import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { raceForCounter } from '#test/template/support/lost-updates.ts'

// The race of test/template/proofs/endurance/lost-updates.test.ts with more clients.

describe('50 clients that read a number, add one and write it back with If-Match', () => {
  let library: TestApp
  before(async () => {
    await fillLibrary()
    library = await startLibrary()
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('count every success of 100,000', async function () {
    this.timeout(4 * 3_600_000)
    const race = { url: library.client.url, clients: 50, successes: 100_000, isConditional: true, backsOff: true }
    const { successes, refusals, count } = await raceForCounter(race)
    expect(count).to.equal(successes)
    expect(refusals).to.be.above(0)
  })
})
