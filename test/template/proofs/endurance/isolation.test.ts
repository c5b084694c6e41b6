import { expect } from 'chai'
import { runLevels } from '#test/template/proofs/isolation/run-levels.ts'
import { runSessions } from '#test/template/proofs/isolation/run-sessions.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

// The short form of `npm run template -- prove isolation`.

const operations = hasServer ? 4_000 : 5_000
const seed = 20_261_116

describe('Isolation of concurrent requests', () => {
  it(`excludes every promised anomaly in ${operations} operations, and finds those that may occur`, async function () {
    this.timeout(300_000)
    const results = await runLevels({ operations, seed, embedded: !hasServer })
    expect(results.flatMap(({ violations }) => violations)).to.deep.equal([])
    const counts = Object.fromEntries(results.map(({ level, counts }) => [level.name, counts]))
    expect(counts['no-version']?.['G-single']).to.be.above(0)
    expect(counts['one-version']?.['G2-item']).to.be.above(0)
  })
})

describeIf(!hasServer)('Sessions over two processes and a replica', () => {
  it('read their own writes while parts fail, and read monotonically with synchronous replication', async function () {
    this.timeout(300_000)
    const results = await runSessions({ rounds: 2, seed })
    expect(results.flatMap(({ violations }) => violations)).to.deep.equal([])
  })
})
