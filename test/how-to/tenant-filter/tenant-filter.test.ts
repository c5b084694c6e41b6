import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { atomicHeaders } from '#test/support/batch.ts'
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

  it('hides related rows of another tenant in linkage, includes and filters, if one was linked by mistake', async () => {
    const em = recipe.database.orm.em.fork()
    await em.insert(Invoice, { id: 50, tenant: 'acme', number: 'A-50', customer: 2 })
    const { body } = await recipe.client.get('/invoices/50?include=customer', as('ada@acme.test'))
    expect(body.data.relationships.customer.data).to.equal(null)
    expect(body.included).to.deep.equal([])
    expect((await recipe.client.get('/invoices/50/customer', as('ada@acme.test'))).body.data).to.equal(null)
    const found = await recipe.client.get('/invoices?filter[customer]=Grace', as('ada@acme.test'))
    expect(found.body.data).to.deep.equal([])
    await em.nativeDelete(Invoice, { id: 50 })
  })

  it('sets the tenant of rows that a batch creates, and rolls the batch back for a row of another tenant', async () => {
    const headers = { ...atomicHeaders, ...as('grace@globex.test') }
    const create = { op: 'add', data: { type: 'invoices', attributes: { number: 'G-2' } } }
    const change = { op: 'update', data: { type: 'invoices', id: '1', attributes: { number: 'G-3' } } }
    const send = (...operations: object[]) =>
      recipe.client.post('/operations', { 'atomic:operations': operations }, headers)
    expect((await send(create, change)).status).to.equal(404)
    expect((await send(create)).status).to.equal(200)
    const rows = await recipe.database.orm.em.fork().find(Invoice, { number: ['G-2', 'G-3'] })
    expect(rows.map(({ tenant, number }) => `${tenant} ${number}`)).to.deep.equal(['globex G-2'])
  })

  it('accepts the same number for two tenants, and returns 409 for one', async () => {
    const data = { type: 'invoices', attributes: { number: 'A-1' } }
    expect((await recipe.client.post('/invoices', { data }, as('grace@globex.test'))).status).to.equal(201)
    expect((await recipe.client.post('/invoices', { data }, as('ada@acme.test'))).status).to.equal(409)
  })

  it('marks responses as dependent on the requester', async () => {
    const { headers } = await recipe.client.get('/invoices', as('ada@acme.test'))
    expect(headers.get('vary')).to.match(/\bAuthorization\b/)
  })
})
