import { expect } from 'chai'
import { startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { atomicMediaType, expectError, readFaults, readIds, sendRaw } from '../support.ts'

// https://jsonapi.org/format/1.1/#query-parameters

const unrecognized = 'QUERY_PARAM_UNRECOGNIZED'
const artist = { type: 'artists', attributes: { name: 'Air' } }

describe('Query parameters', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  describe('parameter families', () => {
    it('QRY-01 reads the family from the name before the first bracket', async () => {
      for (const name of ['nope', 'nope[]', 'nope[a]', 'nope[a.b][c]']) {
        expectError(await client.get(`/albums?${name}=1`), 400, unrecognized, { parameter: 'nope' })
      }
    })

    it('QRY-02 returns 400 for a parameter of an extension that is not applied', async () => {
      expectError(await client.get('/albums?atomic:foo=1'), 400, unrecognized, { parameter: 'atomic:foo' })
    })

    for (const name of [
      'foo',
      'fooBar',
      'with-x',
      '_',
      'Sort',
      'SORT',
      'sorts',
      '__proto__',
      'constructor',
      'é',
      ' ',
    ]) {
      it(`QRY-03 QRY-04 returns 400 naming the parameter '${name}'`, async () => {
        const response = await client.get(`/albums?${encodeURIComponent(name)}=1`)
        expectError(response, 400, unrecognized, { parameter: name })
      })
    }

    it('QRY-04 returns 400 for names with unbalanced brackets', async () => {
      for (const name of ['page[', 'page]', 'page[size', 'page[size]x', '[size]', 'page[[size]]', 'sort[', '']) {
        expectError(await client.get(`/albums?${encodeURIComponent(name)}=1`), 400, unrecognized, { parameter: name })
      }
    })

    it('QRY-04 returns 400 for an unknown parameter without a value', async () => {
      expectError(await client.get('/albums?nope'), 400, unrecognized, { parameter: 'nope' })
    })

    it('QRY-04 ignores the parameter profile', async () => {
      const { status, body } = await client.get('/albums?profile=https%3A%2F%2Fexample.com')
      expect(status).to.equal(200)
      expect(body.jsonapi).not.to.have.property('profile')
    })

    it('QRY-04 returns all faults of a query string in one response', async () => {
      const response = await client.get('/albums?foo=1&sort=nope&include=nada&fields[albums]=nil&barBaz=2&page[x]=1')
      expect(response.status).to.equal(400)
      expect(readFaults(response)).to.have.deep.members([
        { code: unrecognized, source: { parameter: 'foo' } },
        { code: unrecognized, source: { parameter: 'barBaz' } },
        { code: 'SORTING_UNRECOGNIZED', source: { parameter: 'sort' } },
        { code: 'INCLUSION_UNRECOGNIZED', source: { parameter: 'include' } },
        { code: 'FIELDSET_MEMBER_UNRECOGNIZED', source: { parameter: 'fields[albums]' } },
      ])
    })
  })

  describe('parsing', () => {
    it('QRY-05 decodes names and values', async () => {
      expect(readIds((await client.get('/tracks?%73ort=%2Dtitle')).body.data)).to.deep.equal(['4', '3', '1'])
    })

    it('QRY-05 reads a plus sign as a space', async () => {
      const { body } = await client.get('/artists/1?fields[artists]=name,+slug')
      expect(body.data.attributes).to.have.all.keys('name', 'slug')
      expectError(await client.get('/artists?a+b=1'), 400, unrecognized, { parameter: 'a b' })
    })

    it('QRY-05 leaves invalid percent-encoding unchanged', async () => {
      const { status, body } = await sendRaw(client.url, { path: '/tracks?sort=%zz', headers: {} })
      expect(status).to.equal(400)
      expect(body.errors[0].detail).to.contain('%zz')
    })

    it('QRY-05 ignores empty parts of a query string', async () => {
      for (const query of ['', '&', '&&sort=title&', 'sort=title']) {
        expect((await client.get(`/tracks?${query}`)).status, query).to.equal(200)
      }
    })

    it('QRY-06 encodes brackets in links', async () => {
      const { body } = await client.get('/tracks?page[size]=1&fields[tracks]=title')
      expect(body.links.next).to.contain('page%5Bnumber%5D=2').and.contain('fields%5Btracks%5D=title')
      expect(body.links.next).not.to.match(/[[\]]/)
    })

    it('QRY-07 treats raw and encoded brackets as equal', async () => {
      const raw = await client.get('/tracks?page[size]=2&fields[tracks]=title')
      const encoded = await client.get('/tracks?page%5Bsize%5D=2&fields%5Btracks%5d=title')
      expect(raw.body.data).to.have.length(2)
      expect(encoded.body.data).to.deep.equal(raw.body.data)
    })

    it('QRY-08 handles names of Object.prototype as ordinary names', async () => {
      const tolerated = ['fields[__proto__]=x', 'fields[constructor]=x', 'page[__proto__]=1', 'page[__proto__][size]=1']
      for (const query of tolerated) {
        const { status, body } = await client.get(`/tracks?${query}`)
        expect(status, query).to.equal(200)
        expect(body.data, query).to.have.length(3)
      }
      for (const query of ['__proto__[size]=1', 'toString=1', 'hasOwnProperty[x]=1']) {
        const [parameter = ''] = query.split(/[[=]/)
        expectError(await client.get(`/tracks?${query}`), 400, unrecognized, { parameter })
      }
    })

    it('QRY-08 uses the last value of a repeated name that has no list', async () => {
      expect((await client.get('/tracks?page[size]=1&page[size]=2')).body.data).to.have.length(2)
      const { body } = await client.get('/tracks?filter[title]=none&filter[title]=Airbag')
      expect(readIds(body.data)).to.deep.equal(['1'])
    })

    it('QRY-08 joins the lists of a repeated include, sort, withCount and fields[TYPE]', async () => {
      for (const [path, repeated, joined] of [
        ['/albums', 'include=artist&include=tracks', 'include=artist,tracks'],
        ['/albums', 'include=&include=artist&include=', 'include=artist'],
        ['/albums', 'sort=-status&sort=title', 'sort=-status,title'],
        ['/albums', 'withCount=tracks&withCount=tracks', 'withCount=tracks'],
        ['/albums', 'fields[albums]=title&fields[albums]=explicit', 'fields[albums]=title,explicit'],
        ['/albums', 'fields%5Balbums%5D=title&fields[albums]=', 'fields[albums]=title'],
      ] as const) {
        const [one, other] = [await client.get(`${path}?${repeated}`), await client.get(`${path}?${joined}`)]
        expect(one.status, repeated).to.equal(200)
        expect(one.body.data, repeated).to.deep.equal(other.body.data)
        expect(one.body.included, repeated).to.deep.equal(other.body.included)
        expect(one.body.meta, repeated).to.deep.equal(other.body.meta)
      }
    })

    it('QRY-08 reports the faults of all repeated lists', async () => {
      const { body } = await client.get('/albums?include=nope&include=artist&sort=wrong&sort=title')
      expect(readFaults({ body } as ClientResponse)).to.deep.equal([
        { code: 'INCLUSION_UNRECOGNIZED', source: { parameter: 'include' } },
        { code: 'SORTING_UNRECOGNIZED', source: { parameter: 'sort' } },
      ])
    })

    it('QRY-08 keeps repeated names in page links', async () => {
      const { body } = await client.get('/albums?include=artist&include=tracks&page[size]=1')
      expect(new URL(body.links.next).searchParams.getAll('include')).to.deep.equal(['artist', 'tracks'])
    })

    it('QRY-08 treats more than five levels of brackets as a malformed value', async () => {
      const deep = '[a][b][c][d][e][f]'
      for (const family of ['fields', 'include', 'page']) {
        expect((await client.get(`/tracks?${family}${deep}=1`)).status, family).to.equal(200)
      }
      expectError(await client.get(`/tracks?sort${deep}=1`), 400, 'QUERY_PARAM_MALFORMED', { parameter: 'sort' })
    })

    it('QRY-08 accepts 200 parameters and returns 400 QUERY_TOO_LARGE for more', async () => {
      const query = (count: number) => Array.from({ length: count }, () => 'page[a]').join('&')
      expect((await client.get(`/tracks?${query(200)}`)).status).to.equal(200)
      for (const count of [201, 1500]) {
        expectError(await client.get(`/tracks?${query(count)}`), 400, 'QUERY_TOO_LARGE', { parameter: 'page[a]' })
      }
    })
  })

  describe('order of checks', () => {
    it('QRY-04 checks the query before it loads the resource', async () => {
      expectError(await client.get('/albums/4711?nope=1'), 400, unrecognized, { parameter: 'nope' })
      expectError(await client.get('/albums/4711/tracks?nope=1'), 400, unrecognized, { parameter: 'nope' })
    })

    it('QRY-04 checks the query before the document of a write, and writes nothing', async () => {
      expectError(await client.post('/artists?nope=1', {}), 400, unrecognized, { parameter: 'nope' })
      expectError(await client.delete('/tracks/1?nope=1'), 400, unrecognized, { parameter: 'nope' })
      expect((await client.get('/tracks/1')).status).to.equal(200)
    })

    it('QRY-04 checks the method, the relation and the body before the query', async () => {
      expect((await client.send('PUT', '/albums?nope=1')).status).to.equal(405)
      expectError(await client.get('/albums/1/nope?nope=1'), 404, 'RELATIONSHIP_NOT_EXISTS')
      expectError(await client.post('/artists?nope=1', '{'), 400, 'REQUEST_BODY_INVALID_JSON')
    })
  })

  describe('parameters by endpoint', () => {
    const linkage = { data: { type: 'artists', id: '1' } }
    const endpoints: Record<string, (query: string) => Promise<ClientResponse>> = {
      collection: (query) => client.get(`/artists?${query}`),
      'fetch one': (query) => client.get(`/artists/1?${query}`),
      create: (query) => client.post(`/artists?${query}`, { data: artist }),
      update: (query) => client.patch(`/artists/1?${query}`, { data: { ...artist, id: '1' } }),
      delete: (query) => client.delete(`/tracks/1?${query}`),
      'related to-one': (query) => client.get(`/albums/1/artist?${query}`),
      'related to-many': (query) => client.get(`/artists/1/albums?${query}`),
      'linkage to-one': (query) => client.get(`/albums/1/relationships/artist?${query}`),
      'linkage to-many': (query) => client.get(`/artists/1/relationships/albums?${query}`),
      'linkage write': (query) => client.patch(`/albums/1/relationships/artist?${query}`, linkage),
    }
    const accepted = null
    const unsupported = 'SORTING_UNSUPPORTED'
    const noInclude = 'INCLUSION_UNSUPPORTED'
    // The columns: include, sort, page, fields.
    const table: Record<string, readonly (string | null)[]> = {
      collection: [accepted, accepted, accepted, accepted],
      'fetch one': [accepted, unsupported, accepted, accepted],
      create: [accepted, unsupported, accepted, accepted],
      update: [accepted, unsupported, accepted, accepted],
      delete: [noInclude, unsupported, accepted, accepted],
      'related to-one': [accepted, unrecognized, unrecognized, accepted],
      'related to-many': [accepted, accepted, accepted, accepted],
      'linkage to-one': [noInclude, unrecognized, unrecognized, accepted],
      'linkage to-many': [noInclude, accepted, accepted, accepted],
      'linkage write': [noInclude, unrecognized, unrecognized, accepted],
    }
    const families = ['include', 'sort', 'page', 'fields']
    const statuses: Record<string, number> = { create: 201, delete: 204 }

    for (const [endpoint, codes] of Object.entries(table)) {
      for (const [index, code] of codes.entries()) {
        const family = families[index] as string
        it(`QRY-04 ${code ? `returns 400 ${code} for` : 'accepts'} ${family} at the endpoint ${endpoint}`, async () => {
          const response = await endpoints[endpoint]?.(queryFor(family, endpoint))
          if (code) expectError(response as ClientResponse, 400, code, { parameter: family })
          else expect(response?.status, response?.text).to.equal(statuses[endpoint] ?? 200)
        })
      }
    }

    it('QRY-04 accepts known families at POST /operations and returns 400 for unknown ones', async () => {
      const headers = { 'content-type': atomicMediaType, accept: atomicMediaType }
      const body = { 'atomic:operations': [{ op: 'add', data: artist }] }
      expect((await client.post('/operations?include=albums&page[size]=1&profile=x', body, headers)).status).to.equal(
        200,
      )
      expectError(await client.post('/operations?nope=1', body, headers), 400, unrecognized, { parameter: 'nope' })
    })
  })

  describe('without strictQueryParameters', () => {
    let lenient: TestApp

    before(async () => {
      lenient = await startApp({ config: { strictQueryParameters: false } })
    })

    after(() => lenient.close())

    it('QRY-04 ignores implementation-specific names', async () => {
      for (const name of ['fooBar', 'with-x', '__proto__', 'a.b', '_']) {
        expect((await lenient.client.get(`/albums?${name}=1`)).status, name).to.equal(200)
      }
    })

    it('QRY-04 returns 400 for names that the specification reserves', async () => {
      expectError(await lenient.client.get('/albums?foo=1'), 400, unrecognized, { parameter: 'foo' })
      expectError(await lenient.client.get('/albums?foo[barBaz]=1'), 400, unrecognized, { parameter: 'foo' })
    })

    it('QRY-04 returns 400 for an unknown sort key or include path', async () => {
      expectError(await lenient.client.get('/albums?sort=nope'), 400, 'SORTING_UNRECOGNIZED', { parameter: 'sort' })
      const response = await lenient.client.get('/albums?include=nope')
      expectError(response, 400, 'INCLUSION_UNRECOGNIZED', { parameter: 'include' })
    })
  })
})

/** Returns a query that is valid for the resource type of the endpoint. */
function queryFor(family: string, endpoint: string): string {
  const ofAlbums = endpoint.endsWith('to-many')
  if (family === 'include') return ofAlbums ? 'include=artist' : 'include=albums'
  if (family === 'sort') return ofAlbums ? 'sort=title' : 'sort=name'
  return family === 'page' ? 'page[size]=1' : 'fields[artists]=name'
}
