import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

describe('Genres', () => {
  let client: Client
  const create = (id: string | undefined, attributes: object = { name: 'Trip Hop' }) =>
    client.post('/genres', { data: { type: 'genres', id, attributes } })

  before(async () => {
    client = (await catalogue()).client
  })

  it('have no rows in the demo data', async () => {
    expect((await client.get('/genres')).body.data).to.deep.equal([])
  })

  it('are created with the id of the client', async () => {
    const { status, headers, body } = await create('trip-hop')
    expect(status).to.equal(201)
    expect(headers.get('location')).to.equal(`${client.url}/genres/trip-hop`)
    expect(body.data).to.deep.include({ type: 'genres', id: 'trip-hop', attributes: { name: 'Trip Hop' } })
    expect((await client.get('/genres/trip-hop')).body.data).to.deep.equal(body.data)
    expect((await client.get('/genres')).body.data).to.deep.equal([body.data])
  })

  it('return 403 for a missing id, 422 for a malformed one and 409 for a duplicate one', async () => {
    for (const none of [undefined, '']) {
      const { status, body } = await create(none)
      expect(status).to.equal(403)
      expect(body.errors[0]).to.deep.include({
        code: 'CLIENT_GENERATED_ID_REQUIRED',
        source: { pointer: '/data' },
      })
    }
    for (const id of ['Trip', 'trip_hop', '-trip', 'trip--hop', 'trip-', 'trip\n']) {
      const { status, body } = await create(id)
      expect(status, id).to.equal(422)
      expect(body.errors[0]).to.deep.include({ code: 'VALIDATION_FAILED', source: { pointer: '/data/id' } })
    }
    await create('jazz')
    const { status, body } = await create('jazz')
    expect(status).to.equal(409)
    expect(body.errors[0]).to.deep.include({
      code: 'CLIENT_GENERATED_ID_ALREADY_EXISTS',
      source: { pointer: '/data/id' },
    })
  })

  it('return 422 for an id that is too long', async () => {
    const long = 'x'.repeat(256)
    const { status, body } = await create(long)
    expect(status).to.equal(422)
    expect(body.errors[0].source).to.deep.equal({ pointer: '/data/id' })
    expect((await client.get(`/genres/${long}`)).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    expect((await create('x'.repeat(255))).status).to.equal(201)
  })

  it('return 422 without a name', async () => {
    for (const attributes of [{}, { name: '' }, { name: null }, { name: 7 }]) {
      expect((await create('jazz', attributes)).status).to.equal(422)
    }
  })

  it('return the new name after PATCH, and 404 after DELETE', async () => {
    await create('jazz')
    const data = { type: 'genres', id: 'jazz', attributes: { name: 'Jazz' } }
    expect((await client.patch('/genres/jazz', { data })).body.data.attributes).to.deep.equal({ name: 'Jazz' })
    expect((await client.delete('/genres/jazz')).status).to.equal(204)
    expect((await client.get('/genres/jazz')).status).to.equal(404)
  })

  it('have cache headers, with a shorter time for the collection', async () => {
    await create('jazz')
    const one = (await client.get('/genres/jazz')).headers.get('cache-control') ?? ''
    expect(one.split(', ')).to.have.members(['public', 'max-age=3600', 's-maxage=86400'])
    const list = (await client.get('/genres')).headers.get('cache-control') ?? ''
    expect(list.split(', ')).to.have.members(['public', 'max-age=300', 's-maxage=86400'])
  })
})
