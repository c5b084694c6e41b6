import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { atomicHeaders } from '#test/support/batch.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
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

  // The table of docs/scaling.md about distributed databases.
  describe('the statements of a request, of which those without the tenant read every shard', () => {
    const headers = as('ada@acme.test')
    const withoutTenant = async (send: () => Promise<{ readonly status: number }>) => {
      const statements = await statementsOf(send)
      return statements.map((statement) => statement.text()).filter((text) => !isOfOneTenant(text))
    }

    for (const url of [
      '/invoices/50',
      '/invoices/50?include=customer',
      '/invoices?sort=number&page[size]=1&page[number]=1',
      '/invoices?include=customer',
      '/invoices?filter[customer]=Ada',
      '/invoices/50/customer',
      '/invoices/50/relationships/customer',
    ]) {
      it(`compare the tenant of every table in GET ${url}`, async () => {
        await recipe.database.orm.em.fork().upsert(Invoice, { id: 50, tenant: 'acme', number: 'A-50', customer: 1 })
        expect(await withoutTenant(() => recipe.client.get(url, headers))).to.deep.equal([])
      })
    }

    it('read the written row by its id alone in POST', async () => {
      const data = { type: 'invoices', attributes: { number: 'A-51' } }
      const found = await withoutTenant(() => recipe.client.post('/invoices', { data }, headers))
      expect(found).to.have.length(1)
      expect(found[0]).to.match(/^select .* as "#in-write-scope" from "invoices" t0 where t0."id" = /)
    })

    it('write the row and read it back by its id alone in PATCH, and lock it with the tenant', async () => {
      const data = { type: 'invoices', id: '50', attributes: { number: 'A-52' } }
      const found = await withoutTenant(() => recipe.client.patch('/invoices/50', { data }, headers))
      expect(found).to.have.length(2)
      expect(found[0]).to.match(/^update "invoices" set "number" = \? where "id" = /)
      expect(found[1]).to.match(/^select .* as "#in-write-scope" from "invoices" t0 where t0."id" = /)
    })

    it('delete the row by its id alone, and lock it with the tenant', async () => {
      const found = await withoutTenant(() => recipe.client.delete('/invoices/50', undefined, headers))
      expect(found).to.have.length(1)
      expect(found[0]).to.match(/^delete from "invoices" where "id" in /)
    })
  })
})

/** Returns true for an insert with the column, and for a statement that compares the tenant of each of its tables. */
function isOfOneTenant(sql: string): boolean {
  if (/^insert into "\w+" \("tenant",/.test(sql)) return true
  if (/^update /.test(sql)) return /^[^(]* where [^(]*"tenant" = /.test(sql)
  const tables = [...sql.matchAll(/(?:from|join) "\w+" (t\d+)/g)]
  return (
    tables.length > 0 &&
    tables.every(
      ([, alias]) => sql.includes(`and ${alias}."tenant" = $`) || sql.includes(`where ${alias}."tenant" = $`),
    )
  )
}
