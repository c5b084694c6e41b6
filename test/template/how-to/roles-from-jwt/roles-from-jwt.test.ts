import { expect } from 'chai'
import { SignJWT } from 'jose'
import { plugins } from '#app/plugins.ts'
import { bearerAuth } from '#plugins/bearer-auth/index.ts'
import { as } from '#test/support/principals.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { principalOf } from './app/principal-of.ts'

const env = {
  JWT_SECRET: 'a secret of more than thirty-two characters',
  JWT_ISSUER: 'https://login.example.com/realms/main',
  JWT_AUDIENCE: 'reports',
}

describe('docs/how-to/roles-from-jwt.md', () => {
  describe('with development tokens', () => {
    let recipe: Recipe
    before(async () => {
      recipe = await startRecipe('roles-from-jwt', { tokens: { ada: ['editor'], bob: ['reader'] } })
    })
    after(() => recipe.close())

    it('shows the responses that the application returns', () => runRecipe('roles-from-jwt', recipe))
  })

  describe('with signed tokens', () => {
    let recipe: Recipe
    before(async () => {
      const authentication = bearerAuth({ principalOf })
      const listed = plugins.map((plugin) => (plugin.name === authentication.name ? authentication : plugin))
      recipe = await startRecipe('roles-from-jwt', { plugins: listed, config: configFrom(env) })
    })
    after(() => recipe.close())

    for (const [roles, statuses] of [
      [['reader'], [200, 403]],
      [['editor'], [200, 200]],
      [
        ['reader', 'admin'],
        [200, 200],
      ],
      [
        ['constructor', '__proto__'],
        [403, 403],
      ],
    ] as const) {
      it(`returns ${statuses.join(' and ')} for GET and PATCH with the roles ${roles.join(', ')}`, async () => {
        expect(await statusesWith({ realm_access: { roles } })).to.deep.equal(statuses)
      })
    }

    for (const claim of [undefined, null, 'admin', 7, [], {}, { roles: 'admin' }, { roles: [['admin'], null] }]) {
      it(`gives no roles for the claim ${JSON.stringify(claim)}`, async () => {
        expect(await statusesWith({ realm_access: claim, roles: ['admin'] })).to.deep.equal([403, 403])
      })
    }

    async function statusesWith(claims: Record<string, unknown>): Promise<number[]> {
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('7f1c')
        .setIssuer(env.JWT_ISSUER)
        .setAudience(env.JWT_AUDIENCE)
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(env.JWT_SECRET))
      const read = await recipe.client.get('/reports', as(token))
      const change = { data: { type: 'reports', id: '1', attributes: { title: 'Sales' } } }
      const updated = await recipe.client.patch('/reports/1', change, as(token))
      return [read.status, updated.status]
    }
  })
})
