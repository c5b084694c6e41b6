import { expect } from 'chai'
import { assess } from '#test/template/proofs/soak/assess.ts'
import { runEndurance } from '#test/template/proofs/soak/run-endurance.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

// The short form of `npm run template -- prove endurance`, which needs a server.

describeIf(hasServer)('Mixed load with 2 % faults on two processes', () => {
  it('keeps exactly the acknowledged writes and leaks no handle, transaction or prepared statement', async function () {
    this.timeout(300_000)
    const findings = assess(await runEndurance({ minutes: 0.25, seed: 20_261_116 }))
    expect(findings.filter(({ holds, needsLongRun }) => !holds && !needsLongRun)).to.deep.equal([])
  })
})
