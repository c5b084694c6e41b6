import { expect } from 'chai'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { JsonText } from '#app/kernel/lib/json-text.ts'
import { plugins } from '#app/plugins.ts'
import type { Document, Plugin } from '#kernel/plugin'
import { markDirty, type TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { catalogue, startApp } from '#test/support/catalogue.ts'
import type { Answer, Client } from '#test/support/client.ts'

const album = { type: 'albums', attributes: { title: 'Low', status: 'released' } }

describe('The plugin schema-validation', () => {
  let running: TestApp
  let client: Client
  let spoil: (document: Document) => void = () => {}
  const logged: object[] = []
  const spoiler: Plugin = { name: 'spoiler', onDocument: (_request, document) => spoil(document) }

  before(async () => {
    running = await startApp({
      plugins: [...plugins, spoiler],
      config: checking('both'),
      logger: { error: (details, message) => void logged.push({ ...details, message }), info() {}, warn() {} },
    })
    client = running.client
  })
  after(() => running.close())
  afterEach(() => {
    markDirty() // a write stays done although its answer is withheld
    spoil = () => {}
    logged.splice(0)
  })

  describe('on requests', () => {
    it('refuses members that JSON:API does not know, wherever they stand, all at once', async () => {
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
        /^The request body is not a JSON:API document: '\w+' cannot stand here\.$/,
      )
    })

    it('refuses meta, links and jsonapi of another form', async () => {
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
        '/data/links/self': 'self must be a text, an object or null',
        '/data/links/other': "other has no 'href'",
        '/data/links/next/rel': 'rel must be a text',
        '/meta': 'meta must be an object',
        '/links': 'links must be an object',
        '/jsonapi/version': 'version must be a text',
        '/jsonapi/ext': 'ext must be a list',
        '/jsonapi/profile/0': 'profile[0] must be a text',
      })
    })

    it('MEM-02, MEM-03 refuses names with other characters, also inside values', async () => {
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
      expect(Object.values(detailsIn(answer))).to.include("'a.b' is not a name that can stand here")
    })

    it('refuses a field that is called type or id, or is attribute and relationship at once', async () => {
      const { title } = album.attributes
      const answer = await client.post('/albums', {
        data: {
          type: 'albums',
          attributes: { title, id: '1', genre: 'x' },
          relationships: { type: { meta: {} }, genre: { meta: {} } },
        },
      })
      expect(detailsIn(answer)).to.deep.equal({
        '/data/attributes/id': "'id' is not a name that can stand here",
        '/data/relationships/type': "'type' is not a name that can stand here",
        '/data/relationships/genre': "'genre' is the name of an attribute and of a relationship",
      })
    })

    it('looks at relationships the type does not have, which the usual checks pass over', async () => {
      const relationships = { none: {}, text: 'x', linkage: { data: [{ type: 'x' }, 1] }, value: { data: 'x' } }
      const answer = await client.post('/albums', { data: { ...album, relationships } })
      expect(detailsIn(answer)).to.deep.equal({
        '/data/relationships/none': 'none needs one of data, links, meta',
        '/data/relationships/text': 'text must be an object',
        '/data/relationships/linkage/data/0': 'data[0] needs one of id, lid',
        '/data/relationships/linkage/data/1': 'data[1] must be an object',
        '/data/relationships/value/data': 'data must be an object, a list or null',
      })
    })

    it('looks at documents that change a relationship', async () => {
      const answer = await client.patch('/albums/1/relationships/artist', {
        data: { type: 'artists', id: '1', attributes: {} },
        links: [],
      })
      expect(pointersIn(answer)).to.have.members(['/data/attributes', '/links'])
    })

    it('points into the operations of a batch, none of which is carried out', async () => {
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

    it('lets through what JSON:API allows, and members that begin with @ (MEM-05)', async () => {
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

    it('leaves what the usual checks refuse to them', async () => {
      const { status, body } = await client.post('/albums', { data: { attributes: {}, extra: 1 } })
      expect(status).to.equal(400)
      expect(body.errors.map(({ code }: { code: string }) => code)).to.deep.equal(['RESOURCE_TYPE_MISSING'])
    })

    it('leaves values to the rules of their fields, numbers that no reader can hold among them', async () => {
      const { status, body } = await client.post(
        '/albums',
        '{ "data": { "type": "albums", "attributes": { "title": 1e400 } } }',
      )
      expect(status).to.equal(422)
      expect(body.errors[0].source.pointer).to.equal('/data/attributes/title')
    })

    it('returns 100 errors and meta.truncated when the document has 5,000 faults', async () => {
      const strange = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))
      const { body } = await client.post('/albums', { data: { ...album, ...strange } })
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

    it('says it in German to who asks for it', async () => {
      const { body } = await client.post('/albums', { data: album, meta: 1 }, { 'accept-language': 'de' })
      expect(body.errors[0].detail).to.equal(
        'Der Inhalt der Anfrage ist kein JSON:API-Dokument: meta muss ein Objekt sein.',
      )
    })
  })

  describe('on answers', () => {
    it('lets right ones through: resources, linkage, errors, batches and profiles', async () => {
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

    it('withholds one that breaks the structure, says where, and logs it', async () => {
      spoil = (document) => {
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
        message: 'An answer is not a JSON:API document',
      })
    })

    it('withholds data without an identity, and what cannot stand together', async () => {
      spoil = (document) => {
        delete document.data
        document.included = new JsonText('[{"type":"albums","id":"1","relationships":{"artist":{}}}]')
      }
      expect(detailsIn(await client.get('/albums'))).to.deep.equal({
        '': "the document has no 'data'",
        '/included/0/relationships/artist': 'artist needs one of data, links, meta',
      })
      spoil = (document) => {
        document.data = null
        document.errors = []
      }
      expect(detailsIn(await client.get('/albums/1'))).to.deep.equal({
        '/data': "'data' cannot stand here",
        '/included': "'included' cannot stand here",
        '/errors': 'errors is empty',
      })
      spoil = (document) => {
        document.data = new JsonText('[{"type":"tracks"},{"type":"tracks","id":"1","attributes":{}}]')
      }
      expect(detailsIn(await client.get('/albums/1/relationships/tracks'))).to.deep.equal({
        '/data/0': "data[0] has no 'id'",
        '/data/1/attributes': "'attributes' cannot stand here",
      })
      spoil = (document) => {
        document['atomic:results'] = [{ href: '/' }]
      }
      expect(pointersIn(await sendBatch(client, [{ op: 'add', data: album }]))).to.deep.equal([
        '/atomic:results/0/href',
      ])
    })

    it('withholds one that is not JSON', async () => {
      spoil = (document) => {
        document.data = new JsonText('{"type":')
      }
      const { status, body } = await client.get('/albums/1')
      expect(status).to.equal(500)
      expect(body.errors).to.have.length(1)
      expect(body.errors[0]).to.include({ code: 'RESPONSE_BODY_INVALID_JSON' }).and.not.to.have.property('source')
      expect(logged).to.have.length(1)
    })

    it('looks at error documents as well', async () => {
      const errors = [{ status: 418, code: 'TEAPOT' }] as never
      const teapot: Plugin = { name: 'teapot', onError: () => ({ kind: 'error', status: 418, errors }) }
      const started = await startApp({ plugins: [teapot, ...plugins], config: checking('responses') })
      const answer = await started.client.get('/albums/99')
      await started.close()
      expect(answer.status).to.equal(500)
      expect(detailsIn(answer)).to.deep.equal({ '/errors/0/status': 'status must be a text' })
    })
  })

  it('is in the OpenAPI document where it is on', async () => {
    const codes = async (from: Client) => {
      const { text } = await from.get('/docs.json', { accept: 'application/json' })
      return text.includes('RESPONSE_BODY_INVALID_JSON_API')
    }
    expect(await codes(client)).to.equal(true)
    expect(await codes((await catalogue()).client)).to.equal(false)
  })

  it('is off unless it is asked for: unknown members are ignored, as the standard has it', async () => {
    const { client } = await catalogue()
    const { status } = await client.post('/albums', { data: { ...album, colour: 'blue' }, extra: 1, meta: 1 })
    expect(status).to.equal(201)
  })
})

function checking(mode: string) {
  const config = readConfig({ NODE_ENV: 'test', SCHEMA_VALIDATION: mode }, pluginVariables(plugins, {}))
  return { variables: appConfig(config).variables }
}

interface Told {
  readonly detail: string
  readonly source: { readonly pointer: string }
}

function pointersIn({ body }: Answer): string[] {
  return body.errors.map(({ source }: Told) => source.pointer)
}

/** Reasons by pointer. */
function detailsIn({ body }: Answer): Record<string, string> {
  const reasons = body.errors.map(({ detail, source }: Told) => [source.pointer, detail.replace(/^.*?: |\.$/g, '')])
  return Object.fromEntries(reasons)
}
