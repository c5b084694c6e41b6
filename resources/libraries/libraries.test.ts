import { expect } from 'chai'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { statementsOf } from '#test/support/statements.ts'

describe('Libraries', () => {
  let client: Client
  const rowsIn = async (table: string) => {
    const [row] = await (await testDatabase()).orm.em.fork().execute(`select count(*)::int as rows from ${table}`)
    return row?.rows
  }
  /** Puts an item in front of those of the first library. */
  const prepend = async (type: string, id: number) => {
    markDirty()
    const sql = 'insert into library_items (library_id, item_type, item_id, position) values (1, ?, ?, 0)'
    await (await testDatabase()).orm.em.fork().execute(sql, [type, id])
  }

  before(async () => {
    client = (await catalogue()).client
  })

  it('return tracks, albums and artists as items in the order of their positions', async () => {
    const items = ['tracks 1', 'albums 2', 'artists 1']
    expect(printIdentifiers(await client.get('/libraries/1/items'))).to.deep.equal(items)
    const linkage = await client.get('/libraries/1/relationships/items')
    expect(printIdentifiers(linkage)).to.deep.equal(items)
    expect(linkage.body.data[1]).to.deep.equal({ type: 'albums', id: '2' })
    await prepend('artists', 2)
    expect(printIdentifiers(await client.get('/libraries/1/items'))).to.deep.equal(['artists 2', ...items])
  })

  it('have links of items without linkage, unless the items are included', async () => {
    const { body } = await client.get('/libraries/1')
    expect(body.data).not.to.have.property('attributes')
    expect(body.data.relationships.items).not.to.have.property('data')
    const included = await client.get('/libraries?include=items')
    expect(included.body.data[0].relationships.items.data.map(printIdentifier)).to.deep.equal([
      'tracks 1',
      'albums 2',
      'artists 1',
    ])
    expect(included.body.included.map(printIdentifier)).to.have.members(['tracks 1', 'albums 2', 'artists 1'])
  })

  it('read their items by one statement for the order and one per type', async () => {
    const statements = await statementsOf(() => client.get('/libraries/1/relationships/items'))
    expect(statements).to.have.length(5)
  })

  it('page their items, and return 400 for sort and filter', async () => {
    const { body } = await client.get('/libraries/1/items?page[size]=1&page[number]=2')
    expect(body.data.map(printIdentifier)).to.deep.equal(['albums 2'])
    expect(body.links).to.have.any.keys('next')
    for (const family of ['sort', 'filter[title]']) {
      for (const path of ['/libraries/1/items', '/libraries/1/relationships/items']) {
        const answer = await client.get(`${path}?${family}=title`)
        expect(answer.status, family).to.equal(400)
        expect(answer.body.errors[0].code).to.equal('QUERY_PARAM_UNRECOGNIZED')
      }
    }
  })

  it('leave an album that is not published out of their items and pages', async () => {
    await prepend('albums', 3)
    expect(printIdentifiers(await client.get('/libraries/1/items'))).to.deep.equal([
      'tracks 1',
      'albums 2',
      'artists 1',
    ])
    const { body } = await client.get('/libraries/1/items?page[size]=1')
    expect(body.data.map(printIdentifier)).to.deep.equal(['tracks 1'])
  })

  it('include their owner on the admin server, where their items have no related URL', async () => {
    const { body } = await client.get('/admin/libraries/1?include=owner')
    expect(body.data.relationships.owner.data).to.deep.equal({ type: 'users', id: '1' })
    expect(body.included.map(printIdentifier)).to.deep.equal(['users 1'])
    expect(body.data.relationships.items).to.deep.equal({
      links: { self: `${client.url}/admin/libraries/1/relationships/items` },
    })
    expect((await client.get('/admin/libraries/1/items')).body.errors[0].code).to.equal('RELATIONSHIP_NOT_EXISTS')
    expect((await client.get('/libraries/1/owner')).body.errors[0].code).to.equal('RELATIONSHIP_NOT_EXISTS')
  })

  it('return 201 without an owner, and 409 for an owner that has a library', async () => {
    const { status, body } = await client.post('/libraries', { data: { type: 'libraries' } })
    expect(status).to.equal(201)
    expect((await client.get(`/libraries/${body.data.id}/items`)).body.data).to.deep.equal([])
    const relationships = { owner: { data: { type: 'users', id: '1' } } }
    const second = await client.post('/libraries', { data: { type: 'libraries', relationships } })
    expect(second.status).to.equal(409)
    expect(second.body.errors[0].code).to.equal('CONFLICT')
  })

  it('lose an item when its resource is deleted, and keep the order of the others', async () => {
    expect((await client.delete('/tracks/1')).status).to.equal(204)
    expect(printIdentifiers(await client.get('/libraries/1/items'))).to.deep.equal(['albums 2', 'artists 1'])
    expect(await rowsIn('library_items')).to.equal(2)
  })

  it('keep an item when the deletion of its resource fails', async () => {
    expect((await client.delete('/artists/1')).status).to.equal(409)
    expect(await rowsIn('library_items')).to.equal(3)
  })

  it('are deleted with their items, and keep the resources of the items', async () => {
    expect((await client.delete('/libraries/1')).status).to.equal(204)
    expect(await rowsIn('library_items')).to.equal(0)
    expect((await client.get('/tracks/1')).status).to.equal(200)
    expect((await client.get('/admin/users/1/library')).body.data).to.equal(null)
  })
})

function printIdentifier({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`
}

function printIdentifiers({ body }: ClientResponse): string[] {
  return body.data.map(printIdentifier)
}
