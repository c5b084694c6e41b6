import { expect } from 'chai'
import { cacheClaims } from './claims-cache.ts'

describe('The cache of verified claims', () => {
  let time = 0
  let verifications = 0
  const readClaims = cacheClaims(
    async (token) => {
      verifications++
      if (token === 'bad') throw new Error('bad')
      return { sub: token, exp: token === 'short' ? 10 : 1_000 }
    },
    () => time,
  )

  beforeEach(() => {
    time += 1_000_000
    verifications = 0
  })

  it('verifies a token again after a minute', async () => {
    const verificationsAt = async (milliseconds: number) => {
      time = milliseconds
      expect((await readClaims('long')).sub).to.equal('long')
      return verifications
    }
    expect([
      await verificationsAt(0),
      await verificationsAt(1),
      await verificationsAt(59_999),
      await verificationsAt(60_000),
      await verificationsAt(119_999),
    ]).to.deep.equal([1, 1, 1, 2, 2])
  })

  it('verifies a token again after its exp', async () => {
    time = 0
    await readClaims('short')
    time = 9_999
    await readClaims('short')
    expect(verifications).to.equal(1)
    time = 10_000
    await readClaims('short')
    expect(verifications).to.equal(2)
  })

  it('does not cache a rejected token', async () => {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const error = await Promise.resolve(readClaims('bad')).catch((caught: Error) => caught)
      expect(error).to.be.an('error')
      expect(verifications).to.equal(attempt)
    }
  })

  it('is cleared when it holds 1,000 tokens', async () => {
    time = 0
    await readClaims('first')
    for (let index = 0; index < 1_000; index++) await readClaims(`token ${index}`)
    await readClaims('first')
    expect(verifications).to.equal(1_002)
  })
})
