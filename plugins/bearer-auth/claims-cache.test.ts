import { expect } from 'chai'
import { remembering } from './claims-cache.ts'

describe('Tokens that were verified', () => {
  let time = 0
  let reads = 0
  const read = remembering(
    async (token) => {
      reads++
      if (token === 'bad') throw new Error('bad')
      return { sub: token, exp: token === 'short' ? 10 : 1_000 }
    },
    () => time,
  )

  beforeEach(() => {
    time += 1_000_000
    reads = 0
  })

  it('are verified once a minute', async () => {
    const at = async (moment: number) => {
      time = moment
      expect((await read('long')).sub).to.equal('long')
      return reads
    }
    expect([await at(0), await at(1), await at(59_999), await at(60_000), await at(119_999)]).to.deep.equal([
      1, 1, 1, 2, 2,
    ])
  })

  it('are verified again when they may have ended', async () => {
    time = 0
    await read('short')
    time = 9_999
    await read('short')
    expect(reads).to.equal(1)
    time = 10_000
    await read('short')
    expect(reads).to.equal(2)
  })

  it('are not remembered when they are refused', async () => {
    for (let attempt = 1; attempt <= 2; attempt++) {
      const error = await Promise.resolve(read('bad')).catch((caught: Error) => caught)
      expect(error).to.be.an('error')
      expect(reads).to.equal(attempt)
    }
  })

  it('are kept in a number that does not grow', async () => {
    time = 0
    await read('first')
    for (let index = 0; index < 1_000; index++) await read(`token ${index}`)
    await read('first')
    expect(reads).to.equal(1_002)
  })
})
