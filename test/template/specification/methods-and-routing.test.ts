import { expect } from 'chai'
import createError from 'http-errors'
import type Koa from 'koa'
import { defineResource } from '#kernel'
import { startApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { declared, inLibrary } from './library-app.ts'
import { fillLibrary } from './library-rows.ts'
import { atomicMediaType, expectError, expectHttpError, expectPlain404, readIds, sendRaw } from './support.ts'

// https://jsonapi.org/format/1.1/#fetching, https://jsonapi.org/recommendations/ and RFC 9110

describe('Methods and routing', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  describe('HEAD and OPTIONS', () => {
    for (const path of [
      '/albums',
      '/albums/1?include=tracks',
      '/albums/1/tracks',
      '/albums/1/relationships/artist',
      '/albums/4711',
      '/albums?nope=1',
    ]) {
      it(`NEG-26 returns for HEAD ${path} the status and headers of GET, without a body`, async () => {
        const get = await client.get(path)
        const head = await client.send('HEAD', path)
        expect(head.status).to.equal(get.status)
        expect(head.text).to.equal('')
        for (const name of ['content-type', 'content-length', 'vary']) {
          expect(head.headers.get(name), name).to.equal(get.headers.get(name))
        }
      })
    }

    const methods: Record<string, string> = {
      '/albums': 'GET, HEAD, POST, OPTIONS',
      '/albums/1': 'GET, HEAD, PATCH, DELETE, OPTIONS',
      '/albums/1/artist': 'GET, HEAD, OPTIONS',
      '/albums/1/relationships/artist': 'GET, HEAD, PATCH, POST, DELETE, OPTIONS',
      '/admin/albums': 'GET, HEAD, POST, OPTIONS',
      '/operations': 'POST, OPTIONS',
      '/admin/operations': 'POST, OPTIONS',
    }
    for (const [path, allow] of Object.entries(methods)) {
      it(`RCM-06 returns 204 with Allow for OPTIONS ${path}`, async () => {
        const { status, headers, text } = await client.send('OPTIONS', path, { headers: { accept: 'text/html' } })
        expect(status).to.equal(204)
        expect(text).to.equal('')
        expect(headers.get('allow')).to.equal(allow)
        expect(headers.get('access-control-allow-origin')).to.equal(null)
      })

      it(`RCM-06 returns 405 with Allow and an error document for other methods at ${path}`, async () => {
        const allowed = allow.split(', ')
        for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'PROPFIND', 'PURGE']) {
          if (allowed.includes(method)) continue
          const isBatch = path.endsWith('/operations')
          const type = isBatch ? atomicMediaType : mediaType
          const body = method === 'GET' || method === 'DELETE' ? undefined : '{}'
          const headers = { accept: type, ...((isBatch || body) && { 'content-type': type }) }
          const response = await sendRaw(client.url, { method, path, headers, ...(body && { body }) })
          expect(response.status, method).to.equal(405)
          expect(response.headers.allow, method).to.equal(allow)
          const [{ id, ...error }, ...furtherErrors] = response.body.errors
          expect(error, method).to.deep.equal({ status: '405', title: 'Method Not Allowed', detail: '' })
          expect(furtherErrors).to.deep.equal([])
        }
      })
    }

    it('names the missing operation and the accepted methods of a 405 in debug mode', async () => {
      const tags = defineResource(Tag, {
        type: 'tags',
        operations: ['FetchCollection'],
        fields: ({ id, string }) => [id(), string('name')],
      })
      await inLibrary({ resources: declared(tags), config: { debug: true } }, async ({ client: reader }) => {
        const detailOf = async (method: string, path: string, body?: object) =>
          (await reader.send(method, path, body ? { body } : {})).body.errors[0].detail
        expect(await detailOf('POST', '/tags', {})).to.equal(
          "POST is not allowed here. The type 'tags' does not have the operation Create. Accepted: GET, HEAD, OPTIONS.",
        )
        expect(await detailOf('PUT', '/tags')).to.equal('PUT is not allowed here. Accepted: GET, HEAD, OPTIONS.')
        expect(await detailOf('GET', '/operations')).to.equal('GET is not allowed here. Accepted: POST, OPTIONS.')
      })
    })

    it('RCM-06 allows only the methods of the declared operations', async () => {
      const tags = defineResource(Tag, {
        type: 'tags',
        operations: ['FetchCollection', 'Create'],
        fields: ({ id, string }) => [id().allowClientId(), string('name')],
      })
      await inLibrary({ resources: declared(tags) }, async ({ client: reader }) => {
        expect((await reader.get('/tags')).status).to.equal(200)
        expectHttpError(await reader.get('/tags/1'), 405, 'Method Not Allowed')
        expectHttpError(await reader.get('/tags/1/relationships/books'), 405, 'Method Not Allowed')
        expect((await reader.send('OPTIONS', '/tags')).headers.get('allow')).to.equal('GET, HEAD, POST, OPTIONS')
      })
    })
  })

  describe('paths', () => {
    for (const path of [
      '/nope',
      '/nope/1',
      '/nope/1/relationships/artist',
      '/Albums',
      '/albums/',
      '/albums/1/',
      '/albums/1/artist/',
      '/albums/1/relationships/',
      '/albums/1/relationships/artist/',
      '/albums/1/artist/name',
      '//albums',
      '/albums//artist',
      '/admin/',
      '/ADMIN/albums',
      '/admin/artists',
      '/admin/tracks/1',
      '/operations/',
      '/albums;a=b',
    ]) {
      it(`RCM-01 returns the router's own 404 for ${path}`, async () => {
        const { status, headers } = await sendRaw(client.url, { path, headers: { accept: mediaType } })
        expect(status).to.equal(404)
        expect(headers['content-type'] ?? '').not.to.contain(mediaType)
      })
    }

    it("RCM-01 returns the router's own 404 for an unknown path with any headers, body and method", async () => {
      const unacceptable = { accept: 'text/html', 'content-type': `${mediaType}; charset=utf-8` }
      for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
        expectPlain404(
          await client.send(method, '/nope', { headers: unacceptable, ...(method === 'POST' && { body: '{' }) }),
        )
      }
    })

    it('RCM-01 distinguishes the four URL patterns', async () => {
      expect((await client.get('/albums')).body.data).to.be.an('array')
      expect((await client.get('/albums/1')).body.data.type).to.equal('albums')
      expect((await client.get('/albums/1/artist')).body.data.type).to.equal('artists')
      expect((await client.get('/albums/1/relationships/artist')).body.data).to.have.all.keys('type', 'id')
    })

    it('RCM-01 returns 404 RELATIONSHIP_NOT_EXISTS for any unknown relation name', async () => {
      for (const name of ['nope', 'relationships', 'title', 'Artist', '__proto__', 'constructor', '%20', 'a.b']) {
        expectError(await client.get(`/albums/1/${name}`), 404, 'RELATIONSHIP_NOT_EXISTS')
        expectError(await client.get(`/albums/1/relationships/${name}`), 404, 'RELATIONSHIP_NOT_EXISTS')
      }
    })

    it('RCM-02 returns the canonical self link of a related resource', async () => {
      const { body } = await client.get('/albums/1/artist')
      expect(body.links.self).to.equal(`${client.url}/albums/1/artist`)
      expect(body.data.links.self).to.equal(`${client.url}/artists/1`)
    })

    it('RCM-02 uses the declared URL segments of a type and a relation in paths and links', async () => {
      await fillLibrary()
      const shelves = defineResource(Shelf, {
        type: 'shelves',
        uriType: 'book-shelves',
        fields: ({ id, string, hasMany }) => [
          id(),
          string('name'),
          hasMany('books', 'books').withUriFieldName('contents'),
        ],
      })
      const books = defineResource(Book, { type: 'books', fields: ({ id, string }) => [id(), string('title')] })
      await inLibrary({ resources: declared(shelves, books) }, async ({ client: reader }) => {
        expectPlain404(await reader.get('/shelves'))
        const { body } = await reader.get('/book-shelves/1')
        const base = `${reader.url}/book-shelves/1`
        expect(body.data.type).to.equal('shelves')
        expect(body.data.links.self).to.equal(base)
        expect(body.data.relationships.books.links).to.deep.equal({
          self: `${base}/relationships/contents`,
          related: `${base}/contents`,
        })
        expect((await reader.get('/book-shelves/1/contents')).status).to.equal(200)
        expectError(await reader.get('/book-shelves/1/books'), 404, 'RELATIONSHIP_NOT_EXISTS')
      })
    })

    it('RCM-04 returns dates in ISO 8601', async () => {
      const { attributes } = (await client.get('/albums/1')).body.data
      expect(attributes.releasedAt).to.equal('1997-05-21T00:00:00+00:00')
      expect(attributes.availableFrom).to.equal('1997-05-21')
    })
  })

  describe('the admin server', () => {
    it('RCM-01 keeps its prefix in every link', async () => {
      const { body } = await client.get('/admin/albums?page[size]=1')
      const base = `${client.url}/admin/albums`
      expect(body.links.next).to.equal(`${base}?page%5Bnumber%5D=2&page%5Bsize%5D=1`)
      expect(body.data[0].links.self).to.equal(`${base}/1`)
      const single = await client.get('/admin/albums/1?fields[albums]=title')
      expect(single.body.links.self).to.equal(`${base}/1?fields[albums]=title`)
    })

    it('RCM-01 keeps its prefix in Location', async () => {
      const response = await client.post('/admin/albums', { data: { type: 'albums', attributes: { title: 'Kid A' } } })
      expect(response.headers.get('location')).to.equal(`${client.url}/admin/albums/${response.body.data.id}`)
    })

    it('DOC-22 returns only a self link for a relation to a type that it does not serve', async () => {
      const { body } = await client.get('/admin/albums/1')
      const self = (name: string) => ({ links: { self: `${client.url}/admin/albums/1/relationships/${name}` } })
      expect(body.data.relationships).to.deep.equal({ artist: self('artist'), tracks: self('tracks') })
    })

    it('DOC-22 ignores default includes of a relation to a type that it does not serve', async () => {
      expect((await client.get('/admin/albums')).body).not.to.have.property('included')
    })

    it('FET-09 has no related endpoint for a relation to a type that it does not serve', async () => {
      expectError(await client.get('/admin/albums/1/artist'), 404, 'RELATIONSHIP_NOT_EXISTS')
      expectError(await client.get('/admin/albums/1/tracks'), 404, 'RELATIONSHIP_NOT_EXISTS')
    })

    it('FET-07 returns the linkage of a relation to a type that it does not serve, without a related link', async () => {
      const path = '/admin/albums/1/relationships/artist'
      const { body } = await client.get(path)
      expect(body.data).to.deep.equal({ type: 'artists', id: '1' })
      expect(body.links).to.deep.equal({ self: client.url + path })
      expect(readIds((await client.get('/admin/albums/1/relationships/tracks')).body.data)).to.deep.equal([
        '1',
        '2',
        '3',
      ])
    })

    it('CRE-02 accepts a type in linkage that it does not serve', async () => {
      const relationships = { artist: { data: { type: 'artists', id: '2' } } }
      const data = { type: 'albums', attributes: { title: 'Third' }, relationships }
      const { status, body } = await client.post('/admin/albums', { data })
      expect(status).to.equal(201)
      expect(body.data.relationships.artist).to.have.all.keys('links')
      expect((await client.get(`/albums/${body.data.id}/artist`)).body.data.id).to.equal('2')
      const path = `/admin/albums/${body.data.id}/relationships/artist`
      expect((await client.patch(path, { data: { type: 'artists', id: '1' } })).body.data.id).to.equal('1')
    })

    it('FET-04 returns 404 when the scope hides the resource', async () => {
      expectError(await client.get('/admin/albums/3'), 404, 'RESOURCE_NOT_FOUND')
    })
  })

  describe('base URL of links', () => {
    it('DOC-09 is the scheme and host of the request when no base URI is configured', async () => {
      const { body } = await sendRaw(client.url, { path: '/albums/1', headers: { host: 'music.example:8080' } })
      expect(body.links.self).to.equal('http://music.example:8080/albums/1')
      expect(body.data.links.self).to.equal('http://music.example:8080/albums/1')
    })

    it('DOC-09 is the configured base URI, without the prefix of the server', async () => {
      const servers = {
        default: { baseUri: 'https://api.example/v1/' },
        admin: { prefix: '/admin', baseUri: 'https://admin.example' },
      }
      await inCatalogue({ servers }, async ({ client: reader }) => {
        const { body } = await reader.get('/albums?sort=title')
        expect(body.links.self).to.match(/^https:\/\/api\.example\/v1\/albums\?sort=title/)
        expect(body.data[0].links.self).to.equal('https://api.example/v1/albums/2')
        const admin = await reader.get('/admin/albums/1')
        expect(admin.body.links.self).to.equal('https://admin.example/albums/1')
        const created = await reader.post('/albums', { data: { type: 'albums', attributes: { title: 'Kid A' } } })
        expect(created.headers.get('location')).to.match(/^https:\/\/api\.example\/v1\/albums\/\d+$/)
      })
    })

    it('DOC-09 uses forwarding headers only with trustProxy', async () => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'music.example' }
      expect((await client.get('/albums/1', headers)).body.links.self).to.equal(`${client.url}/albums/1`)
      await inCatalogue({ config: { trustProxy: true } }, async ({ client: reader }) => {
        expect((await reader.get('/albums/1', headers)).body.links.self).to.equal('https://music.example/albums/1')
      })
    })
  })

  describe('middleware of a server', () => {
    const guard: Koa.Middleware = async (ctx, next) => {
      if (ctx.get('x-badge') === 'bad') {
        throw createError(401, 'bad token', { headers: { 'WWW-Authenticate': 'Bearer' } })
      }
      await next()
    }
    const servers = { default: { middleware: [guard] }, admin: { prefix: '/admin' } }

    it('ERR-03 runs before every route of its server, and its errors are returned as documents', async () => {
      await inCatalogue({ servers }, async ({ client: reader }) => {
        const headers = { 'x-badge': 'bad' }
        const paths = ['/albums', '/albums/4711', '/albums?nope=1', '/albums/1/nope', '/operations']
        for (const path of paths) {
          const response = await reader.get(path, headers)
          expectHttpError(response, 401, 'Unauthorized')
          expect(response.headers.get('www-authenticate')).to.equal('Bearer')
        }
        expect((await reader.get('/albums')).status).to.equal(200)
      })
    })

    it('ERR-03 runs before content negotiation, and not for other servers or unknown paths', async () => {
      await inCatalogue({ servers }, async ({ client: reader }) => {
        const headers = { 'x-badge': 'bad', accept: 'text/html' }
        expect((await reader.get('/albums', headers)).status).to.equal(401)
        expect((await reader.get('/admin/albums', headers)).status).to.equal(406)
        expectPlain404(await reader.get('/nope', headers))
      })
    })
  })
})

async function inCatalogue(options: TestAppOptions, run: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startApp(options)
  try {
    await run(app)
  } finally {
    await app.close()
  }
}
