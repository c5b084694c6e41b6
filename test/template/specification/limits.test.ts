import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { markDirty, startApp, type TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { fillLibrary } from './library-rows.ts'
import { expectError, expectHttpError, sendRaw } from './support.ts'

// Input that only hostile clients send. The server never returns 500.

const invalidJson = 'REQUEST_BODY_INVALID_JSON'
const largestInteger = 2_147_483_647

describe('Limits', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  const createTrack = (attributes: object) => client.post('/tracks', { data: { type: 'tracks', attributes } })

  /** Sends raw bytes with the headers of an ordinary write. */
  const sendBytes = async (path: string, body: Buffer | string, headers: Record<string, string> = {}) => {
    markDirty()
    const all = { accept: mediaType, 'content-type': mediaType, ...headers }
    return sendRaw(client.url, { method: 'POST', path, headers: all, body })
  }

  describe('request body size', () => {
    const limit = 2000
    let small: TestApp

    before(async () => {
      small = await startApp({ config: { bodyLimit: limit } })
    })

    after(() => small.close())

    const documentOf = (bytes: number) => {
      const [start, end] = ['{"data":{"type":"artists","attributes":{"name":"x","nope":"', '"}}}']
      return start + 'x'.repeat(bytes - start.length - end.length) + end
    }
    const send = (body: string | Buffer, headers: Record<string, string> = {}) => {
      markDirty()
      const all = { accept: mediaType, 'content-type': mediaType, ...headers }
      return sendRaw(small.client.url, { method: 'POST', path: '/artists', headers: all, body })
    }

    it('ERR-03 accepts a body of exactly the limit', async () => {
      expect((await send(documentOf(limit))).status).to.equal(201)
    })

    it('ERR-03 returns 413 for a body of one byte more than the limit', async () => {
      const response = await small.client.post('/artists', documentOf(limit + 1))
      expectHttpError(response, 413, 'Error')
      expect(response.body.errors[0].source).to.deep.equal({ header: 'Content-Length' })
    })

    it('ERR-03 returns 413 for a chunked body without Content-Length', async () => {
      const { status, body } = await send(documentOf(limit + 1), { 'transfer-encoding': 'chunked' })
      expect(status).to.equal(413)
      expect(body.errors[0].status).to.equal('413')
    })

    it('ERR-03 returns 413 when a small compressed body is larger than the limit after decompression', async () => {
      const { status } = await send(gzipSync(documentOf(100_000)), { 'content-encoding': 'gzip' })
      expect(status).to.equal(413)
    })

    it('ERR-03 reads a compressed body within the limit', async () => {
      expect((await send(gzipSync(documentOf(500)), { 'content-encoding': 'gzip' })).status).to.equal(201)
    })

    it('ERR-03 reads a compressed body in any spelling of Content-Encoding', async () => {
      for (const coding of ['GZIP', 'x-gzip', 'X-GZip']) {
        const { status } = await send(gzipSync(documentOf(500)), { 'content-encoding': coding })
        expect(status, coding).to.equal(201)
      }
      expect((await send(brotliCompressSync(documentOf(500)), { 'content-encoding': 'Br' })).status).to.equal(201)
      expect((await send(deflateSync(documentOf(500)), { 'content-encoding': 'Deflate' })).status).to.equal(201)
      expect((await send(documentOf(500), { 'content-encoding': 'Identity' })).status).to.equal(201)
    })

    it('ERR-03 returns 415 with Accept-Encoding for an unknown Content-Encoding, and 400 for damaged gzip data', async () => {
      for (const coding of ['nope', 'gzip, br', 'constructor']) {
        const unknown = await send(documentOf(500), { 'content-encoding': coding })
        expect([unknown.status, unknown.headers['accept-encoding']]).to.deep.equal([415, 'gzip, deflate, br'])
        expect(unknown.body.errors[0].source).to.deep.equal({ header: 'Content-Encoding' })
      }
      const damaged = await send(documentOf(500), { 'content-encoding': 'gzip' })
      expect(damaged.status).to.equal(400)
      expect(damaged.body.errors[0].code).to.equal(invalidJson)
    })

    it('ERR-03 names the accepted size and encodings in debug mode', async () => {
      const debugging = await startApp({ config: { bodyLimit: limit, debug: true } })
      const post = async (coding: string) => {
        const headers = { accept: mediaType, 'content-type': mediaType, 'content-encoding': coding }
        const body = gzipSync(documentOf(limit + 1))
        return (await sendRaw(debugging.client.url, { method: 'POST', path: '/artists', headers, body })).body.errors[0]
      }
      expect((await post('gzip')).detail).to.match(/at most 2000 bytes\.$/)
      expect((await post('nope')).detail).to.match(/Accepted: gzip, deflate, br\.$/)
      await debugging.close()
    })

    it('ERR-03 returns 413 before it checks the query', async () => {
      const response = await small.client.post('/artists?nope=1', documentOf(limit + 1))
      expect(response.status).to.equal(413)
    })
  })

  describe('JSON', () => {
    for (const text of [
      '{',
      '}',
      '{"data":}',
      "{'data':1}",
      '{"a":1,}',
      'nope',
      '{} {}',
      '\u0000',
      'NaN',
      '01',
      '"\\x"',
    ]) {
      it(`DOC-01 returns 400 for ${JSON.stringify(text)}`, async () => {
        expectError(await client.post('/artists', text), 400, invalidJson)
        expectError(await client.patch('/artists/1', text), 400, invalidJson)
        expectError(await client.patch('/albums/1/relationships/artist', text), 400, invalidJson)
      })
    }

    it('DOC-01 accepts 32 levels of nesting and returns 400 for 33', async () => {
      const nested = (levels: number) => `${'{"data":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
      expectError(await client.post('/artists', nested(32)), 400, 'RESOURCE_TYPE_MISSING', { pointer: '/data' })
      expectError(await client.post('/artists', nested(33)), 400, invalidJson)
      const lists = `{"data":{"type":"artists","attributes":{"name":"Air","nope":${'['.repeat(29)}${']'.repeat(29)}}}}`
      expect((await client.post('/artists', lists)).status).to.equal(201)
      expectError(await client.post('/artists', lists.replace('[]', '[[]]')), 400, invalidJson)
    })

    it('DOC-01 returns 400 for 100,000 levels of nesting', async () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        expectError(await client.post('/artists', open.repeat(100_000) + close.repeat(100_000)), 400, invalidJson)
        expectError(await client.post('/artists', open.repeat(100_000)), 400, invalidJson)
      }
    })

    const poisoned = [
      '{"__proto__":{},"data":{"type":"artists","attributes":{"name":"x"}}}',
      '{"data":{"type":"artists","__proto__":{"attributes":{"name":"x"}}}}',
      '{"data":{"type":"artists","attributes":{"name":"x","__proto__":1}}}',
      '{"data":{"type":"artists","attributes":{"name":"x"},"meta":[{"a":{"__proto__":null}}]}}',
      '{"data":{"type":"artists","attributes":{"name":"x","\\u005f\\u005fproto__":1}}}',
    ]
    for (const text of poisoned) {
      it(`DOC-06 returns 400 for the key __proto__ in ${text}`, async () => {
        expectError(await client.post('/artists', text), 400, invalidJson)
      })
    }

    it('DOC-06 accepts __proto__ as a value and ignores names of Object.prototype as unknown members', async () => {
      const attributes = { name: '__proto__', constructor: { prototype: 1 }, toString: 2, hasOwnProperty: 3 }
      const { status, body } = await client.post('/artists', { data: { type: 'artists', attributes } })
      expect(status).to.equal(201)
      expect(body.data.attributes.name).to.equal('__proto__')
      expect(Object.hasOwn(body.data.attributes, 'constructor')).to.equal(false)
    })

    it('DOC-01 uses the last of duplicate keys', async () => {
      const { body } = await client.post(
        '/artists',
        '{"data":{"type":"nope","type":"artists","attributes":{"name":"a","name":"b"}}}',
      )
      expect(body.data.attributes.name).to.equal('b')
    })

    it('DOC-01 reads bytes that are not UTF-8 as U+FFFD', async () => {
      const [start, end] = ['{"data":{"type":"artists","attributes":{"name":"a', 'b"}}}']
      const bytes = Buffer.concat([Buffer.from(start), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(end)])
      const { status, body } = await sendBytes('/artists', bytes)
      expect(status).to.equal(201)
      expect(body.data.attributes.name).to.match(/^a\ufffd+b$/)
    })
  })

  describe('text', () => {
    const characters = { NUL: '\0', 'a NUL inside': 'a\0b' }
    for (const [name, text] of Object.entries(characters)) {
      it(`ERR-10 returns 422 at an attribute with ${name}`, async () => {
        expectError(await createTrack({ title: text }), 422, 'VALIDATION_FAILED', { pointer: '/data/attributes/title' })
        const pointer = '/data/attributes/genres'
        const response = await createTrack({ title: 'x', genres: [text] })
        expect(response.status).to.equal(422)
        expect(response.body.errors[0].source.pointer).to.satisfy((at: string) => at.startsWith(pointer))
        const data = { type: 'artists', attributes: { name: 'x', bio: text, slug: text, website: text } }
        const artist = await client.post('/artists', { data })
        expect(artist.status).to.equal(422)
        expect(artist.body.errors).to.have.length(3)
      })
    }

    it('DOC-14 returns 422 in a well-formed document for lone surrogates', async () => {
      const { status, text } = await client.post(
        '/tracks',
        '{"data":{"type":"tracks","attributes":{"title":"a\\ud800b","genres":["\\udc00"]}}}',
      )
      expect(status).to.equal(422)
      expect(text.isWellFormed()).to.equal(true)
      expect(text).not.to.match(/\\ud[89a-f]/i)
    })

    it('DOC-14 stores text of every script unchanged', async () => {
      for (const title of [
        'Ágætis byrjun',
        '夜のうた',
        '🎵🎶',
        'עברית',
        "Robert'); drop table albums;--",
        '\\ " \u2028 \t',
      ]) {
        const { status, body } = await createTrack({ title })
        expect(status, title).to.equal(201)
        expect((await client.get(`/tracks/${body.data.id}`)).body.data.attributes.title).to.equal(title)
      }
    })

    it('ERR-10 measures the length of text in characters', async () => {
      const data = (name: string) => ({ data: { type: 'artists', attributes: { name } } })
      expect((await client.post('/artists', data('é'.repeat(120)))).status).to.equal(201)
      expect((await client.post('/artists', data('é'.repeat(121)))).status).to.equal(422)
      expect((await client.post('/artists', data('🎵'.repeat(121)))).status).to.equal(422)
    })

    it('ERR-10 accepts 500,000 characters when the attribute has no maximum length', async () => {
      const title = 'x'.repeat(500_000)
      expect((await createTrack({ title })).body.data.attributes.title).to.have.length(500_000)
    })
  })

  describe('numbers', () => {
    it('ERR-10 accepts the largest number that the column holds', async () => {
      const { body } = await createTrack({ title: 'x', trackNumber: largestInteger, durationSeconds: -largestInteger })
      expect(body.data.attributes).to.include({ trackNumber: largestInteger, durationSeconds: -largestInteger })
    })

    for (const number of [
      '2147483648',
      '-2147483649',
      '1e400',
      '-1e400',
      '9007199254740993',
      '1.5',
      '1e-400',
      '"1"',
      'true',
    ]) {
      it(`ERR-10 returns 422 when an integer is ${number}`, async () => {
        const body = `{"data":{"type":"tracks","attributes":{"title":"x","trackNumber":${number}}}}`
        const pointer = '/data/attributes/trackNumber'
        expectError(await client.post('/tracks', body), 422, 'VALIDATION_FAILED', { pointer })
      })
    }

    it('ERR-10 returns 422 for a decimal that the column cannot hold', async () => {
      await fillLibrary()
      const library = await startLibrary()
      try {
        for (const rating of ['100', '-100.5', '1e30', '1e400', '99.996']) {
          const body = `{"data":{"type":"books","attributes":{"title":"x","rating":${rating}}}}`
          const response = await library.client.post('/books', body)
          expectError(response, 422, 'VALIDATION_FAILED', { pointer: '/data/attributes/rating' })
        }
        const body = '{"data":{"type":"books","attributes":{"title":"x","rating":99.99}}}'
        expect((await library.client.post('/books', body)).body.data.attributes.rating).to.equal(99.99)
      } finally {
        await library.close()
      }
    })
  })

  describe('dates and times', () => {
    const album = (attributes: object) =>
      client.post('/albums', { data: { type: 'albums', attributes: { title: 'x', ...attributes } } })

    for (const releasedAt of [
      '0000-01-01T00:00:00Z',
      '1997-02-29T00:00:00Z',
      '1997-05-21T24:00:00Z',
      '1997-05-21T23:59:60Z',
      '1997-05-21T00:00:00+99:99',
      '1997-05-21',
      '1997-05-21 00:00:00',
      '+010000-01-01T00:00:00Z',
      '12345-01-01T00:00:00Z',
      '1e3',
      '',
    ]) {
      it(`ERR-10 returns 422 for the date-time '${releasedAt}'`, async () => {
        const pointer = '/data/attributes/releasedAt'
        expectError(await album({ releasedAt }), 422, 'VALIDATION_FAILED', { pointer })
      })
    }

    it('ERR-10 returns 422 for a date-time whose year in UTC is not between 1 and 9999', async () => {
      for (const releasedAt of ['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00']) {
        const pointer = '/data/attributes/releasedAt'
        expectError(await album({ releasedAt }), 422, 'VALIDATION_FAILED', { pointer })
      }
    })

    it('ERR-10 stores a date-time of the first century', async () => {
      for (const releasedAt of ['0001-01-01T00:00:00Z', '0099-01-01T00:00:00Z']) {
        const { status, body } = await album({ releasedAt })
        expect(status, releasedAt).to.equal(201)
        const stored = (await client.get(`/albums/${body.data.id}`)).body.data.attributes.releasedAt
        expect(stored).to.equal(body.data.attributes.releasedAt)
        expect(new Date(stored).getTime()).to.equal(new Date(releasedAt).getTime())
      }
    })

    for (const [name, value] of [
      ['availableFrom', '0000-01-01'],
      ['availableFrom', '10000-01-01'],
      ['availableFrom', '2026-1-1'],
      ['availableFrom', 'infinity'],
      ['availableUntil', '2026-13-01'],
    ] as const) {
      it(`ERR-10 returns 422 for the date '${value}'`, async () => {
        const pointer = `/data/attributes/${name}`
        expectError(await album({ [name]: value }), 422, 'VALIDATION_FAILED', { pointer })
      })
    }

    for (const previewOffset of ['24:00:00', '00:60:00', '1:00:00', '00:00', '00:00:00Z', 'allballs', 30]) {
      it(`ERR-10 returns 422 for the time of day ${JSON.stringify(previewOffset)}`, async () => {
        const pointer = '/data/attributes/previewOffset'
        expectError(await createTrack({ title: 'x', previewOffset }), 422, 'VALIDATION_FAILED', { pointer })
      })
    }
  })

  describe('ids', () => {
    const ids = {
      'out of range': '2147483648',
      'far out of range': '9'.repeat(30),
      negative: '-1',
      'with a leading zero': '01',
      'with a sign': '+1',
      'a fraction': '1.0',
      'an exponent': '1e0',
      hexadecimal: '0x1',
      'with a space': '1%20',
      'with a NUL': '1%00',
      'a NUL': '%00',
      'bytes that are not UTF-8': '%ff%fe',
      'half an escape': '%',
      'a broken escape': '%zz',
      'an escaped slash': '1%2F2',
      'two dots': '%2e%2e',
      'a quote': "1'--",
      'an emoji': '%F0%9F%8E%B5',
      __proto__: '__proto__',
      'very long': 'x'.repeat(10_000),
      'a very long number': '1'.repeat(10_000),
    }
    for (const [name, id] of Object.entries(ids)) {
      it(`FET-04 returns 404 for an id that is ${name}`, async () => {
        for (const path of [`/albums/${id}`, `/albums/${id}/tracks`, `/albums/${id}/relationships/artist`]) {
          const { status, body } = await sendRaw(client.url, { path, headers: { accept: mediaType } })
          expect(status, path).to.equal(404)
          expect(body.errors[0].code, path).to.equal('RESOURCE_NOT_FOUND')
        }
        expect((await sendRaw(client.url, { method: 'DELETE', path: `/albums/${id}` })).status).to.equal(404)
      })
    }

    it('CRE-10 returns 404 for linkage with such an id', async () => {
      for (const id of ['2147483648', '-1', '01', '1.0', ' 1', '1\0', '\ud800', '__proto__', 'x'.repeat(100_000)]) {
        const response = await client.patch('/albums/1/relationships/artist', { data: { type: 'artists', id } })
        expectError(response, 404, 'RESOURCE_NOT_FOUND', { pointer: '/data' })
      }
    })

    it('UPD-13 compares ids as strings', async () => {
      const response = await client.patch('/albums/1', { data: { type: 'albums', id: '01' } })
      expectError(response, 409, 'RESOURCE_ID_CONFLICT', { pointer: '/data/id' })
    })
  })

  describe('query strings', () => {
    for (const query of [
      'sort=%00',
      'sort=%ff',
      'include=%00',
      'include=%ff.%fe',
      'fields[albums]=%00',
      '%00=1',
      '%ff=1',
    ]) {
      it(`QRY-04 returns 400 for ${query}`, async () => {
        const { status, body } = await sendRaw(client.url, { path: `/albums?${query}`, headers: {} })
        expect(status).to.equal(400)
        expect(body.errors).to.have.length(1)
      })
    }

    it('QRY-04 returns 400 for very long paths and lists', async () => {
      const path = 'artist.albums.'.repeat(1000)
      for (const query of [`include=${path}`, `sort=${'a,'.repeat(5000)}`, `fields[albums]=${'x,'.repeat(5000)}`]) {
        const { status } = await client.get(`/albums?${query}`)
        expect(status, query.slice(0, 20)).to.equal(400)
      }
      const sorted = await client.get(`/tracks?sort=${'title,'.repeat(2000)}`)
      expectError(sorted, 400, 'QUERY_TOO_LARGE', { parameter: 'sort' })
    })
  })
})
