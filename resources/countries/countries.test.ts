import { expect } from 'chai'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { countries } from './countries.ts'

describe('Countries', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  it('are the countries of ISO 3166-1 with their English names, without duplicates', () => {
    expect(countries).to.have.length(249)
    expect(new Set(countries.map(({ id }) => id)).size).to.equal(249)
    expect(countries).to.deep.include.members([
      { id: 'DE', name: 'Germany' },
      { id: 'JP', name: 'Japan' },
      { id: 'ZW', name: 'Zimbabwe' },
    ])
    for (const { id, name } of countries) expect(name, id).not.to.equal(id)
  })

  it('are sorted by code, in pages of 25', async () => {
    const first = await client.get('/countries')
    expect(readIds(first)).to.deep.equal(countries.slice(0, 25).map(({ id }) => id))
    expect(first.body.meta.page).to.include({ perPage: 25 })
    const next = await client.get(first.body.links.next)
    expect(readIds(next)).to.deep.equal(countries.slice(25, 50).map(({ id }) => id))
    const last = await client.get('/countries?page[number]=10')
    expect(readIds(last).at(-1)).to.equal('ZW')
    expect(last.body.links).not.to.have.property('next')
  })

  it('are found by a code in upper or lower case', async () => {
    for (const id of ['DE', 'de', 'De']) {
      const { body } = await client.get(`/countries/${id}`)
      expect(body.data).to.deep.equal({
        type: 'countries',
        id: 'DE',
        links: { self: `${client.url}/countries/DE` },
        attributes: { name: 'Germany' },
      })
    }
    for (const id of ['ZZ', 'D', 'DEU', '%00']) {
      expect((await client.get(`/countries/${id}`)).body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
    }
  })

  it('are filtered and sorted by name', async () => {
    expect(readIds(await client.get('/countries?filter[name]=GERM'))).to.deep.equal(['DE'])
    expect(readIds(await client.get('/countries?filter[name]=stan&sort=-name&page[size]=3'))).to.deep.equal([
      'UZ',
      'TM',
      'TJ',
    ])
    expect(readIds(await client.get('/countries?filter[name]=%25'))).to.deep.equal([])
    expect((await client.get('/countries?sort=id')).status).to.equal(400)
    expect((await client.get('/countries?filter[id]=DE')).status).to.equal(400)
  })

  it('return 405 for writes', async () => {
    const data = { type: 'countries', id: 'DE', attributes: { name: 'Mine' } }
    expect((await client.post('/countries', { data })).status).to.equal(405)
    expect((await client.patch('/countries/DE', { data })).status).to.equal(405)
    expect((await client.delete('/countries/DE')).status).to.equal(405)
  })
})

function readIds({ body }: ClientResponse): string[] {
  return body.data.map(({ id }: { id: string }) => id)
}
