import { expect } from 'chai'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { JsonText } from '#app/kernel/lib/json-text.ts'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Document, type Plugin } from '#kernel/plugin'
import { markDirty, type TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { catalogue, startApp } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'

const album = { type: 'albums', attributes: { title: 'Low', status: 'released' } }

describe('Schema validation', () => {
  let running: TestApp
  let client: Client
  let corrupt: (document: Document) => void = () => {}
  const logged: object[] = []
  const corrupter: Plugin = {
    name: 'corrupter',
    plan: addSteps({ document: (_request, document) => corrupt(document) }),
  }

  before(async () => {
    running = await startApp({
      plugins: [...plugins, corrupter],
      config: checking('both'),
      logger: { error: (details, message) => void logged.push({ ...details, message }), info() {}, warn() {} },
    })
    client = running.client
  })
  after(() => running.close())
  afterEach(() => {
    markDirty() // the write is committed although its response is replaced by a 500
    corrupt = () => {}
    logged.splice(0)
  })

  describe('requests', () => {
    it('returns 400 with a pointer to every member that JSON:API does not define', async () => {
      const answer = await client.post('/albums', {
        extra: 1,
        data: {
          ...album,
          colour: 'blue',
          relationships: {
            artist: { data: { type: 'artists', id: '1', name: 'x' }, href: '/' },
            tracks: { data: [{ type: 'tracks', id: '1', 'a/b~c': 0 }] },
          },
        },
        jsonapi: { edition: 2 },
      })
      expect(answer.status).to.equal(400)
      expect(pointersIn(answer)).to.have.members([
        '/extra',
        '/data/colour',
        '/data/relationships/artist/href',
        '/data/relationships/artist/data/name',
        '/data/relationships/tracks/data/0/a~1b~0c',
        '/jsonapi/edition',
      ])
      expect(answer.body.errors[0].detail).to.match(
        /^The request body is not a JSON:API document: '\w+' is not allowed here\.$/,
      )
    })

    it('returns 400 for meta, links and jsonapi of a wrong type', async () => {
      const answer = await client.patch('/albums/1', {
        data: {
          type: 'albums',
          id: '1',
          meta: [],
          links: { self: 1, other: { title: 'x' }, next: { href: '/', rel: 2 } },
        },
        meta: 'x',
        links: null,
        jsonapi: { version: 1.1, ext: 'x', profile: [1] },
      })
      expect(answer.status).to.equal(400)
      expect(detailsIn(answer)).to.deep.equal({
        '/data/meta': 'meta must be an object',
        '/data/links/self': 'self must be a string, an object or null',
        '/data/links/other': "other must have 'href'",
        '/data/links/next/rel': 'rel must be a string',
        '/meta': 'meta must be an object',
        '/links': 'links must be an object',
        '/jsonapi/version': 'version must be a string',
        '/jsonapi/ext': 'ext must be an array',
        '/jsonapi/profile/0': 'profile[0] must be a string',
      })
    })

    it('MEM-02, MEM-03 returns 400 for member names with invalid characters, also inside values', async () => {
      const { title } = album.attributes
      const answer = await client.post('/albums', {
        data: {
          type: 'albums',
          attributes: { title, '-x': 1, x_: 1, '': 1, 'a.b': 1, 'a b': 1, é: 1, deep: [{ 'a+b': 1 }] },
          relationships: { 'a,b': { meta: {} } },
          meta: { 'a/b': { '#': 1 } },
        },
      })
      expect(pointersIn(answer)).to.have.members([
        '/data/attributes/-x',
        '/data/attributes/x_',
        '/data/attributes/',
        '/data/attributes/a.b',
        '/data/attributes/deep/0/a+b',
        '/data/relationships/a,b',
        '/data/meta/a~1b',
        '/data/meta/a~1b/#',
      ])
      expect(Object.values(detailsIn(answer))).to.include("'a.b' is not a valid name of a member here")
    })

    it('returns 400 for a field named type or id, and for one that is both attribute and relationship', async () => {
      const { title } = album.attributes
      const answer = await client.post('/albums', {
        data: {
          type: 'albums',
          attributes: { title, id: '1', genre: 'x' },
          relationships: { type: { meta: {} }, genre: { meta: {} } },
        },
      })
      expect(detailsIn(answer)).to.deep.equal({
        '/data/attributes/id': "'id' is not a valid name of a member here",
        '/data/relationships/type': "'type' is not a valid name of a member here",
        '/data/relationships/genre': "'genre' must not be both an attribute and a relationship",
      })
    })

    it('returns 400 for malformed relationships that the type does not have', async () => {
      const relationships = { none: {}, text: 'x', linkage: { data: [{ type: 'x' }, 1] }, value: { data: 'x' } }
      const answer = await client.post('/albums', { data: { ...album, relationships } })
      expect(detailsIn(answer)).to.deep.equal({
        '/data/relationships/none': 'none needs one of data, links, meta',
        '/data/relationships/text': 'text must be an object',
        '/data/relationships/linkage/data/0': 'data[0] needs one of id, lid',
        '/data/relationships/linkage/data/1': 'data[1] must be an object',
        '/data/relationships/value/data': 'data must be an object, an array or null',
      })
    })

    it('returns 400 for unknown members in a PATCH of a relationship', async () => {
      const answer = await client.patch('/albums/1/relationships/artist', {
        data: { type: 'artists', id: '1', attributes: {} },
        links: [],
      })
      expect(pointersIn(answer)).to.have.members(['/data/attributes', '/links'])
    })

    it('returns 400 with pointers into the operations of a batch, and runs none of them', async () => {
      const answer = await sendBatch(client, [
        { op: 'add', data: { ...album, colour: 'blue' }, note: 'x' },
        {
          op: 'update',
          ref: { type: 'albums', id: '1', relationship: 'artist', x: 1 },
          data: { type: 'artists', id: '1', attributes: {} },
        },
        {
          op: 'update',
          href: '/albums/1/relationships/artist',
          data: { type: 'artists', id: '1', links: {} },
          meta: 1,
        },
        { op: 'remove', ref: { type: 'albums', id: '2' } },
      ])
      expect(answer.status).to.equal(400)
      expect(pointersIn(answer)).to.have.members([
        '/atomic:operations/0/note',
        '/atomic:operations/0/data/colour',
        '/atomic:operations/1/ref/x',
        '/atomic:operations/1/data/attributes',
        '/atomic:operations/2/data/links',
        '/atomic:operations/2/meta',
      ])
      expect((await client.get('/albums/2')).status).to.equal(200)
    })

    it('MEM-05 accepts every member that JSON:API defines, and members that begin with @', async () => {
      const meta = { note: { '@x': 1 } }
      const link = { href: '/x', rel: 'x', title: 'x', type: 'x', hreflang: ['de', 'en'], describedby: '/y', meta }
      const { status, text } = await client.post('/albums', {
        '@context': 'x',
        data: {
          ...album,
          '@id': 'x',
          lid: 'x',
          attributes: { ...album.attributes, '@x': 1, unknown: { any: [null, 1] } },
          relationships: {
            '@x': 1,
            artist: { data: { type: 'artists', id: '1', meta, '@x': 1 }, links: { self: null }, meta },
          },
          links: { self: '/x', other: link },
          meta,
        },
        included: [{ type: 'artists', id: '1' }],
        links: { self: link },
        meta,
        jsonapi: { version: '1.0', ext: [], profile: ['x'], meta },
      })
      expect(status, text).to.equal(201)
      expect((await sendBatch(client, [{ op: 'add', data: album, meta, '@x': 1 }])).status).to.equal(200)
    })

    it('returns the error of the kernel when its checks fail first', async () => {
      const { status, body } = await client.post('/albums', { data: { attributes: {}, extra: 1 } })
      expect(status).to.equal(400)
      expect(body.errors.map(({ code }: { code: string }) => code)).to.deep.equal(['RESOURCE_TYPE_MISSING'])
    })

    it('returns 422 of validation, not 400, for a number that overflows to infinity', async () => {
      const { status, body } = await client.post(
        '/albums',
        '{ "data": { "type": "albums", "attributes": { "title": 1e400 } } }',
      )
      expect(status).to.equal(422)
      expect(body.errors[0].source.pointer).to.equal('/data/attributes/title')
    })

    it('returns 100 errors and meta.truncated when the document has 5,000 faults', async () => {
      const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))
      const { body } = await client.post('/albums', { data: { ...album, ...unknown } })
      expect(body.errors).to.have.length(100)
      expect(body.meta).to.deep.equal({ truncated: true })
    })

    it('returns the first error and meta.truncated when the document has more than 10,000 parts', async () => {
      const data = Array.from({ length: 50_000 }, () => 1)
      const { status, body } = await client.post('/albums', { data: { ...album, relationships: { nope: { data } } } })
      expect(status).to.equal(400)
      expect(body.errors).to.have.length(1)
      expect(body.meta).to.deep.equal({ truncated: true })
    })

    it('returns the detail in German for Accept-Language: de', async () => {
      const { body } = await client.post('/albums', { data: album, meta: 1 }, { 'accept-language': 'de' })
      expect(body.errors[0].detail).to.equal(
        'Der Inhalt der Anfrage ist kein JSON:API-Dokument: meta muss ein Objekt sein.',
      )
    })
  })

  describe('responses', () => {
    it('sends valid collections, resources, linkage, errors and the OpenAPI document', async () => {
      for (const path of [
        '/albums?include=artist,tracks',
        '/albums/1',
        '/albums/1/tracks',
        '/albums/1/relationships/tracks',
      ])
        expect((await client.get(path)).status, path).to.equal(200)
      expect((await client.get('/albums/99')).status).to.equal(404)
      expect((await client.get('/docs.json', { accept: 'application/json' })).status).to.equal(200)
      expect((await client.send('HEAD', '/albums')).status).to.equal(200)
      expect(logged).to.deep.equal([])
    })

    it('returns 500 with pointers, without Location, and logs the faults when a response is invalid', async () => {
      corrupt = (document) => {
        document.data = new JsonText('{"type":"albums","id":1,"name":"x"}')
        document.meta = { 'a.b': 1 }
      }
      const answer = await client.post('/albums', { data: album })
      expect(answer.status).to.equal(500)
      expect(answer.headers.get('location')).to.equal(null)
      expect(answer.body.errors[0]).to.include({ code: 'RESPONSE_BODY_INVALID_JSON_API', status: '500' })
      expect(pointersIn(answer)).to.have.members(['/data/id', '/data/name', '/meta/a.b'])
      expect(logged).to.have.length(1)
      expect(logged[0]).to.deep.include({
        method: 'POST',
        path: '/albums',
        message: 'Response is not a valid JSON:API document; sent a 500 instead',
      })
    })

    it('returns 500 for data without an id, and for members that exclude each other', async () => {
      corrupt = (document) => {
        delete document.data
        document.included = new JsonText('[{"type":"albums","id":"1","relationships":{"artist":{}}}]')
      }
      expect(detailsIn(await client.get('/albums'))).to.deep.equal({
        '': "the document must have 'data'",
        '/included/0/relationships/artist': 'artist needs one of data, links, meta',
      })
      corrupt = (document) => {
        document.data = null
        document.errors = []
      }
      expect(detailsIn(await client.get('/albums/1'))).to.deep.equal({
        '/data': "'data' is not allowed here",
        '/included': "'included' is not allowed here",
        '/errors': 'errors must not be empty',
      })
      corrupt = (document) => {
        document.data = new JsonText('[{"type":"tracks"},{"type":"tracks","id":"1","attributes":{}}]')
      }
      expect(detailsIn(await client.get('/albums/1/relationships/tracks'))).to.deep.equal({
        '/data/0': "data[0] must have 'id'",
        '/data/1/attributes': "'attributes' is not allowed here",
      })
      corrupt = (document) => {
        document['atomic:results'] = [{ href: '/' }]
      }
      expect(pointersIn(await sendBatch(client, [{ op: 'add', data: album }]))).to.deep.equal([
        '/atomic:results/0/href',
      ])
    })

    it('returns 500 RESPONSE_BODY_INVALID_JSON when a response is not JSON', async () => {
      corrupt = (document) => {
        document.data = new JsonText('{"type":')
      }
      const { status, body } = await client.get('/albums/1')
      expect(status).to.equal(500)
      expect(body.errors).to.have.length(1)
      expect(body.errors[0]).to.include({ code: 'RESPONSE_BODY_INVALID_JSON' }).and.not.to.have.property('source')
      expect(logged).to.have.length(1)
    })

    it('returns 500 when an error document is invalid', async () => {
      const errors = [{ status: 418, code: 'TEAPOT' }] as never
      const teapot: Plugin = { name: 'teapot', onError: () => ({ kind: 'error', status: 418, errors }) }
      const started = await startApp({ plugins: [teapot, ...plugins], config: checking('responses') })
      const answer = await started.client.get('/albums/99')
      await started.close()
      expect(answer.status).to.equal(500)
      expect(detailsIn(answer)).to.deep.equal({ '/errors/0/status': 'status must be a string' })
    })
  })

  it('adds its errors to the OpenAPI document only when it is enabled', async () => {
    const codes = async (from: Client) => {
      const { text } = await from.get('/docs.json', { accept: 'application/json' })
      return text.includes('RESPONSE_BODY_INVALID_JSON_API')
    }
    expect(await codes(client)).to.equal(true)
    expect(await codes((await catalogue()).client)).to.equal(false)
  })

  it('is off by default: unknown members are ignored', async () => {
    const { client } = await catalogue()
    const { status } = await client.post('/albums', { data: { ...album, colour: 'blue' }, extra: 1, meta: 1 })
    expect(status).to.equal(201)
  })
})

function checking(mode: string) {
  const config = readConfig({ NODE_ENV: 'test', SCHEMA_VALIDATION: mode }, pluginVariables(plugins, {}))
  return { variables: appConfig(config).variables }
}

interface ReportedError {
  readonly detail: string
  readonly source: { readonly pointer: string }
}

function pointersIn({ body }: ClientResponse): string[] {
  return body.errors.map(({ source }: ReportedError) => source.pointer)
}

/** Reasons by pointer. */
function detailsIn({ body }: ClientResponse): Record<string, string> {
  const reasons = body.errors.map(({ detail, source }: ReportedError) => [
    source.pointer,
    detail.replace(/^.*?: |\.$/g, ''),
  ])
  return Object.fromEntries(reasons)
}
