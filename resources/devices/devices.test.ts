import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

describe('Devices', () => {
  let client: Client
  const create = (attributes: object, further: object = {}) =>
    client.post('/devices', { data: { type: 'devices', attributes, ...further } })

  before(async () => {
    client = (await catalogue()).client
  })

  it('have no rows in the demo data', async () => {
    expect((await client.get('/devices')).body.data).to.deep.equal([])
  })

  it('are created with a ULID and a Location, and have no self link', async () => {
    const { status, headers, body } = await create({ label: 'Phone' })
    expect(status).to.equal(201)
    expect(body.data.id).to.match(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(headers.get('location')).to.equal(`${client.url}/devices/${body.data.id}`)
    expect(body.data).to.deep.equal({ type: 'devices', id: body.data.id, attributes: { label: 'Phone' } })
    expect((await client.get(`/devices/${body.data.id}`)).body.data).to.deep.equal(body.data)
    expect((await client.get('/devices')).body.data).to.deep.equal([body.data])
  })

  it('return 403 for a client id, and 422 without a label', async () => {
    const answer = await create({ label: 'Phone' }, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
    expect(answer.status).to.equal(403)
    expect(answer.body.errors[0].code).to.equal('CLIENT_GENERATED_ID_NOT_SUPPORTED')
    for (const attributes of [{}, { label: '' }, { label: 1 }]) expect((await create(attributes)).status).to.equal(422)
  })

  it('return the new label after PATCH, and 404 after DELETE', async () => {
    const { id } = (await create({ label: 'Phone' })).body.data
    const data = { type: 'devices', id, attributes: { label: 'Radio' } }
    expect((await client.patch(`/devices/${id}`, { data })).body.data.attributes).to.deep.equal({ label: 'Radio' })
    expect((await client.delete(`/devices/${id}`)).status).to.equal(204)
    expect((await client.get(`/devices/${id}`)).status).to.equal(404)
  })

  it('return 404 RESOURCE_NOT_FOUND when the id is not a ULID', async () => {
    for (const id of ['1', '01arz3ndektsv4rrffq69g5fav', '81ARZ3NDEKTSV4RRFFQ69G5FAV']) {
      const { status, body } = await client.get(`/devices/${id}`)
      expect(status).to.equal(404)
      expect(body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('have Deprecation and Sunset headers in every response', async () => {
    for (const answer of [
      await client.get('/devices'),
      await client.get('/devices/1'),
      await create({ label: 'Phone' }),
      await create({}),
    ]) {
      expect(answer.headers.get('deprecation')).to.equal('true')
      expect(answer.headers.get('sunset')).to.equal('Sat, 31 Dec 2050 23:59:59 GMT')
      expect(answer.headers.get('link')).to.equal('<https://music.example/deprecations/devices>; rel="sunset"')
    }
  })
})
