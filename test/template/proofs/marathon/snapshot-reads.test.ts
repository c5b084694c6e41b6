import { expect } from 'chai'
import { expectNoTornReads } from '#test/template/store/snapshot/expect-no-torn-reads.ts'
import { startReplicatedApp } from '#test/template/store/snapshot/replicated-app.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

const reads = 1_000_000

describe('Snapshot reads under a writer', () => {
  it(`show one state of the database in each of ${reads} documents of several statements`, async function () {
    this.timeout(3 * 3_600_000)
    await expectNoTornReads(reads)
  })
})

describeIf(!hasServer)('Snapshot reads on a replica under a writer', () => {
  it(`show one state of the database in each of ${reads} documents of several statements`, async function () {
    this.timeout(3 * 3_600_000)
    const replicated = await startReplicatedApp()
    try {
      expect((await replicated.findTornReads(reads)).torn).to.deep.equal([])
    } finally {
      await replicated.close()
    }
  })
})
