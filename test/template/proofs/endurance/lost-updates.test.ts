import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { raceForCounter } from '#test/template/support/lost-updates.ts'

// Read-modify-write of one row by concurrent clients.

describe('3 clients that read a number, add one and write it back', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary()
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('count every success of 200 when they send If-Match', async function () {
    this.timeout(900_000)
    const race = { url: library.client.url, clients: 3, successes: 200, isConditional: true }
    const { successes, refusals, count } = await raceForCounter(race)
    expect(count).to.equal(successes)
    expect(refusals).to.be.above(0)
  })

  it('lose updates when they do not, so that the test above is able to fail', async () => {
    const race = { url: library.client.url, clients: 3, successes: 200, isConditional: false }
    const { successes, refusals, count } = await raceForCounter(race)
    expect(count).to.be.below(successes)
    expect(refusals).to.equal(0)
  })
})
