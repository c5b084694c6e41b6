import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client } from '#test/support/client.ts'

describe('Releases', () => {
  let client: Client
  const create = (attributes: object) =>
    client.post('/releases', { data: { type: 'releases', attributes: { catalogNumber: 'NEW 01', ...attributes } } })
  const update = (attributes: object) =>
    client.patch('/releases/1', { data: { type: 'releases', id: '1', attributes } })

  before(async () => {
    client = (await catalogue()).client
  })

  it('return each attribute that is an object with the members of its variant, or null', async () => {
    const { body } = await client.get('/releases?sort=-catalogNumber')
    const [vinyl, digital] = body.data
    expect(vinyl.attributes).to.deep.equal({
      catalogNumber: 'NODATA 01 LP',
      format: { medium: 'vinyl', rpm: 33, coloured: true },
      packaging: { material: 'cardboard', gatefold: true },
      availability: { regions: ['GB', 'EU'] },
      dimensions: { widthMm: 315, heightMm: 315, depthMm: 8 },
    })
    expect(digital.attributes).to.deep.equal({
      catalogNumber: 'NODATA 01 DL',
      format: { medium: 'digital', codec: 'FLAC', bitrateKbps: 1411 },
      packaging: null,
      availability: { worldwide: true },
      dimensions: null,
    })
    expect(vinyl.relationships.album.data).to.deep.equal({ type: 'albums', id: '1' })
    expect((await client.get('/releases/1')).body.data).to.deep.equal(vinyl)
  })

  it('return the members of objects that were sent, without undeclared ones', async () => {
    const attributes = {
      format: { medium: 'cd', discs: 2 },
      packaging: { material: 'plastic', gatefold: false },
      availability: { regions: ['JP'], since: 2020 },
      dimensions: { widthMm: 142.5, heightMm: 125 },
    }
    const { status, body } = await create({ ...attributes, format: { ...attributes.format, rpm: 33, other: 1 } })
    expect(status).to.equal(201)
    expect(body.data.attributes).to.deep.equal({ catalogNumber: 'NEW 01', ...attributes })
    expect(body.data.relationships.album.data).to.equal(null)
  })

  it('return null for every other attribute when only the catalogue number is sent', async () => {
    const { status, body } = await create({})
    expect(status).to.equal(201)
    expect(body.data.attributes).to.deep.equal({
      catalogNumber: 'NEW 01',
      format: null,
      packaging: null,
      availability: null,
      dimensions: null,
    })
  })

  it('merge a format with the same medium, and replace it with another medium', async () => {
    const same = await update({ format: { rpm: 45 }, packaging: { gatefold: false } })
    expect(same.body.data.attributes.format).to.deep.equal({ medium: 'vinyl', rpm: 45, coloured: true })
    expect(same.body.data.attributes.packaging).to.deep.equal({ material: 'cardboard', gatefold: false })
    const other = await update({ format: { medium: 'cd', discs: 1 } })
    expect(other.body.data.attributes.format).to.deep.equal({ medium: 'cd', discs: 1 })
    const none = await update({ format: null, packaging: null })
    expect(none.body.data.attributes).to.include({ format: null, packaging: null })
  })

  const wrong: readonly [attributes: object, pointer: string][] = [
    [{ catalogNumber: '' }, 'catalogNumber'],
    [{ catalogNumber: 'x'.repeat(41) }, 'catalogNumber'],
    [{ format: { medium: 'tape' } }, 'format/medium'],
    [{ format: { rpm: 33 } }, 'format'],
    [{ format: { medium: 'vinyl' } }, 'format'],
    [{ format: { medium: 'vinyl', rpm: 79 } }, 'format/rpm'],
    [{ format: { medium: 'vinyl', rpm: 33, coloured: 'red' } }, 'format/coloured'],
    [{ format: { medium: 'cd', discs: 0 } }, 'format/discs'],
    [{ format: { medium: 'digital', codec: 'FLAC', bitrateKbps: 31 } }, 'format/bitrateKbps'],
    [{ format: { medium: 'digital', codec: 'x'.repeat(17) } }, 'format/codec'],
    [{ packaging: {} }, 'packaging'],
    [{ packaging: { material: 'x'.repeat(41) } }, 'packaging/material'],
    [{ availability: {} }, 'availability'],
    [{ availability: { worldwide: false } }, 'availability'],
    [{ availability: { regions: [] } }, 'availability'],
    [{ dimensions: { widthMm: 1 } }, 'dimensions'],
    [{ dimensions: { widthMm: 1, heightMm: '1' } }, 'dimensions/heightMm'],
  ]
  for (const [attributes, pointer] of wrong) {
    it(`return 422 for ${JSON.stringify(attributes).slice(0, 60)}`, async () => {
      const { status, body } = await create(attributes)
      expect(status).to.equal(422)
      expect(body.errors[0].source).to.deep.equal({ pointer: `/data/attributes/${pointer}` })
    })
  }

  it('prevent the deletion of their album with a 409 until they are deleted', async () => {
    const { body } = await client.get('/releases/1?include=album')
    expect(body.included[0]).to.include({ type: 'albums', id: '1' })
    for (const id of ['1', '2', '3']) await client.delete(`/tracks/${id}`)
    expect((await client.delete('/albums/1')).status).to.equal(409)
    for (const id of ['1', '2']) expect((await client.delete(`/releases/${id}`)).status).to.equal(204)
    expect((await client.delete('/albums/1')).status).to.equal(204)
  })
})
