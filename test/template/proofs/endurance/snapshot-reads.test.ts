import { expectNoTornReads } from '#test/template/store/snapshot/expect-no-torn-reads.ts'
import { hasServer } from '#test/template/support/describe-if.ts'

/** The embedded database executes WebAssembly without optimisation in tests, and one statement at a time. */
const reads = hasServer && !process.env.DATABASE_POOLER ? 500 : 300

describe('Snapshot reads under a writer', () => {
  it(`show one state of the database in each of ${reads} documents of several statements`, async function () {
    this.timeout(900_000)
    await expectNoTornReads(reads)
  })
})
