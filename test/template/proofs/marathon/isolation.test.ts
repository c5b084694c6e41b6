import { expect } from 'chai'
import { runLevels } from '#test/template/proofs/isolation/run-levels.ts'
import { runSessions } from '#test/template/proofs/isolation/run-sessions.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

// The long form of `npm run template -- prove isolation`.

const operations = hasServer ? 1_000_000 : 50_000
const seed = 20_261_117

describe('Isolation of concurrent requests', () => {
  it(`excludes every promised anomaly in ${operations} operations`, async function () {
    this.timeout(3_600_000)
    const results = await runLevels({ operations, seed, embedded: !hasServer })
    expect(results.flatMap(({ violations }) => violations)).to.deep.equal([])
  })
})

describeIf(!hasServer)('Sessions over two processes and a replica', () => {
  it('read their own writes in 100 rounds with failures', async function () {
    this.timeout(3_600_000)
    const results = await runSessions({ rounds: 100, seed })
    expect(results.flatMap(({ violations }) => violations)).to.deep.equal([])
  })
})
