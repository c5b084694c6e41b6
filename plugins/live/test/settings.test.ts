import { expect } from 'chai'
import { readConfig } from '#app/config.ts'
import { environment } from '../settings.ts'

describe('LIVE_READS', () => {
  it('is half of the connection pool if unset, and at least one', () => {
    const reads = (env: Readonly<Record<string, string>>) => readConfig(env, environment).variables.LIVE_READS
    expect([reads({}), reads({ DATABASE_POOL_SIZE: '7' }), reads({ DATABASE_POOL_SIZE: '1' })]).to.deep.equal([5, 3, 1])
    expect(reads({ DATABASE_POOL_SIZE: '7', LIVE_READS: '6' })).to.equal(6)
  })
})
