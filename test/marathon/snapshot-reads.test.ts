import { expectNoTornReads } from '#test/snapshot/expect-no-torn-reads.ts'

const reads = 1_000_000

describe('Snapshot reads under a writer', () => {
  it(`show one state of the database in each of ${reads} documents of several statements`, async function () {
    this.timeout(3 * 3_600_000)
    await expectNoTornReads(reads)
  })
})
