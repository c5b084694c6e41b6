import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { stopTimeOfRateLimits } from '#test/template/support/rate-limit-time.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { userRateLimit } from './plugins/user-rate-limit/index.ts'

const tokens = { ada: ['partner'], bob: [], eve: [] }
const limit = userRateLimit({ roles: { partner: 20 }, otherwise: 3, writeCost: 2 })

describe('docs/how-to/rate-limit-per-user.md', () => {
  let recipe: Recipe
  describe('with a limit that all processes share', () => {
    stopTimeOfRateLimits()
    before(async () => {
      const config = configFrom({ RATE_LIMIT: '40', RATE_LIMIT_STORE: 'postgres' })
      recipe = await startRecipe('rate-limit-per-user', { tokens, config, plugins: [...plugins, limit] })
    })
    after(() => recipe.close())

    it('shows the responses that the application returns', () => runRecipe('rate-limit-per-user', recipe))

    it('counts the requests of each principal, and a write twice', async () => {
      const data = { type: 'notes', attributes: { title: 'Milk' } }
      expect(remaining(await recipe.client.post('/notes', { data }, as('eve')))).to.equal('1')
      expect(remaining(await recipe.client.get('/notes', as('eve')))).to.equal('0')
      const { status, headers } = await recipe.client.get('/notes', as('eve'))
      expect(status).to.equal(429)
      expect(headers.get('ratelimit-policy')).to.equal('"default";q=40;w=60, "user";q=3;w=60')
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    })

    it('allows principals with the role more requests', async () => {
      for (let sent = 1; sent < 5; sent++) {
        expect((await recipe.client.get('/notes', as('ada'))).status).to.equal(200)
      }
      expect((await recipe.client.get('/notes', as('ada'))).headers.get('ratelimit-policy')).to.include('"user";q=20')
    })

    it('limits requests with an invalid token, and anonymous ones, by their address', async () => {
      const headers = [as('mallory'), {}].map((sent) => recipe.client.get('/notes', sent))
      const [invalid, anonymous] = (await Promise.all(headers)) as [ClientResponse, ClientResponse]
      expect([invalid.status, anonymous.status]).to.deep.equal([401, 200])
      for (const response of [invalid, anonymous])
        expect(response.headers.get('ratelimit')).to.match(/^"default";[^,]*$/)
    })
  })

  it('sets no limit when RATE_LIMIT is not set', async () => {
    recipe = await startRecipe('rate-limit-per-user', { tokens, plugins: [...plugins, limit] })
    const statuses = [1, 2, 3, 4].map(async () => (await recipe.client.get('/notes', as('bob'))).status)
    expect(await Promise.all(statuses)).to.deep.equal([200, 200, 200, 200])
    await recipe.close()
  })
})

function remaining({ headers }: ClientResponse): string | undefined {
  return /"user";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]
}
