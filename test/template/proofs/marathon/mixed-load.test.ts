import { expect } from 'chai'
import { assess } from '#test/template/proofs/soak/assess.ts'
import { runEndurance } from '#test/template/proofs/soak/run-endurance.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

// The long form of `npm run template -- prove endurance`, which needs a server.

describeIf(hasServer)('30 minutes of mixed load with 2 % faults on two processes', () => {
  it('keeps exactly the acknowledged writes, leaks nothing, and keeps heap and p99 flat', async function () {
    this.timeout(3_600_000)
    const findings = assess(await runEndurance({ minutes: 30, seed: 20_261_117 }))
    expect(findings.filter(({ holds }) => !holds)).to.deep.equal([])
  })
})
