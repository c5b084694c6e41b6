import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { as } from '#test/support/principals.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { tenants } from './plugins/tenants/index.ts'
import { Invoice } from './resources/invoices/entity.ts'

describe('docs/how-to/tenant-filter.md', () => {
  let recipe: Recipe
  before(async () => {
    const tokens = {
      'ada@acme.test': ['tenant:acme'],
      'grace@globex.test': ['tenant:globex'],
      'bob@both.test': ['tenant:acme', 'tenant:globex'],
    }
    recipe = await startRecipe('tenant-filter', { plugins: [...plugins, tenants()], tokens })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('tenant-filter', recipe))

  it('returns no rows and refuses creates when the requester has no tenant, or several', async () => {
    const data = { type: 'invoices', attributes: { number: 'X-1' } }
    for (const [headers, status] of [
      [{}, 401],
      [as('bob@both.test'), 403],
    ] as const) {
      expect((await recipe.client.get('/invoices', headers)).body.data).to.deep.equal([])
      expect((await recipe.client.post('/invoices', { data }, headers)).status).to.equal(status)
    }
  })

  it('returns 404 for every write of a row of another tenant, and changes nothing', async () => {
    const headers = as('ada@acme.test')
    const data = { type: 'invoices', id: '2', attributes: { number: 'A-9' } }
    expect((await recipe.client.patch('/invoices/2', { data }, headers)).status).to.equal(404)
    expect((await recipe.client.delete('/invoices/2', undefined, headers)).status).to.equal(404)
    const row = await recipe.database.orm.em.fork().findOneOrFail(Invoice, 2)
    expect(row).to.include({ tenant: 'globex', number: 'G-1' })
  })

  it('marks responses as dependent on the requester', async () => {
    const { headers } = await recipe.client.get('/invoices', as('ada@acme.test'))
    expect(headers.get('vary')).to.match(/\bAuthorization\b/)
  })
})
