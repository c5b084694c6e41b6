import { expect } from 'chai'
import { markDirty } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'
import { testDatabase } from '#test/support/database.ts'
import { productCodec } from './codec.ts'
import { Product } from './entity.ts'

describe('Products', () => {
  let client: Client
  const insert = async (...rows: { id: number; name: string; parent?: number }[]) => {
    markDirty()
    await (await testDatabase()).orm.em.fork().insertMany(Product, rows)
  }
  const identifier = (id: string) => ({ type: 'products', id })

  before(async () => {
    client = (await catalogue()).client
  })

  it('have ids in hexadecimal with a prefix, also in links and linkage', async () => {
    await insert({ id: 26, name: 'Shirt' }, { id: 2_147_483_647, name: 'Mug', parent: 26 })
    const { body } = await client.get('/products')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['prod-1a', 'prod-7fffffff'])
    expect(body.data[0].links.self).to.equal(`${client.url}/products/prod-1a`)
    expect(body.data[1].relationships.parent.data).to.deep.equal(identifier('prod-1a'))
    const mug = await client.get('/products/prod-7fffffff?include=parent')
    expect(mug.body.included[0]).to.include(identifier('prod-1a'))
    expect((await client.get('/products/prod-7fffffff/parent')).body.data).to.include(identifier('prod-1a'))
  })

  it('have a codec that decodes only the ids that it encodes', () => {
    for (const key of [1, 26, 2_147_483_647]) expect(productCodec.decode(productCodec.encode(key))).to.equal(key)
    for (const wire of ['prod-', 'prod-0', 'prod-01a', 'prod-1A', 'prod-1a ', '26']) {
      expect(productCodec.decode(wire), wire).to.equal(null)
    }
  })

  it('return 404 for an id of another form, and for an id without a row', async () => {
    await insert({ id: 26, name: 'Shirt' })
    for (const id of ['26', 'prod-1A', 'prod-', 'PROD-1a']) {
      const { status, body } = await client.get(`/products/${id}`)
      expect(status, id).to.equal(404)
      expect(body, id).to.equal(null)
    }
    for (const id of ['prod-01a', 'prod-1b', 'prod-ffffffff', 'prod-1aaaaaaaaaaaaaaaa']) {
      const { status, body } = await client.get(`/products/${id}`)
      expect(status, id).to.equal(404)
      expect(body.errors[0].code, id).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('return 409 for DELETE while they are a parent, and 204 after their child has moved', async () => {
    await insert({ id: 26, name: 'Shirt' })
    const parent = { data: identifier('prod-1a') }
    const data = { type: 'products', attributes: { name: 'Red shirt' }, relationships: { parent } }
    const { status, headers, body } = await client.post('/products', { data })
    expect(status).to.equal(201)
    expect(headers.get('location')).to.equal(`${client.url}/products/${body.data.id}`)
    expect(body.data.id).to.match(/^prod-[1-9a-f][0-9a-f]*$/)
    expect(body.data.relationships.parent).to.deep.include(parent)
    expect((await client.delete('/products/prod-1a')).status).to.equal(409)
    const path = `/products/${body.data.id}`
    expect((await client.patch(`${path}/relationships/parent`, { data: null })).body.data).to.equal(null)
    expect((await client.delete('/products/prod-1a')).status).to.equal(204)
    const change = { ...identifier(body.data.id), attributes: { name: 'Blue shirt' } }
    expect((await client.patch(path, { data: change })).body.data.attributes).to.deep.equal({ name: 'Blue shirt' })
  })

  it('return 403 for a client id, 422 for an empty name, and 404 or 422 for an invalid parent', async () => {
    const create = (further: object) => client.post('/products', { data: { type: 'products', ...further } })
    const attributes = { name: 'Mug' }
    expect((await create({ id: 'prod-1', attributes })).status).to.equal(403)
    expect((await create({ attributes: { name: '' } })).status).to.equal(422)
    for (const [id, expected, pointer] of [
      ['prod-1', 404, '/data/relationships/parent/data'],
      ['prod-01', 404, '/data/relationships/parent/data'],
      ['1', 422, '/data/relationships/parent/data/id'],
    ] as const) {
      const { status, body } = await create({ attributes, relationships: { parent: { data: identifier(id) } } })
      expect(status, id).to.equal(expected)
      expect(body.errors[0].source).to.deep.equal({ pointer })
    }
  })
})
