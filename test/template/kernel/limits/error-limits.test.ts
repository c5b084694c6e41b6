import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { appConfig, readConfig } from '#app/config.ts'
import { ApiErrors } from '#app/kernel/errors/errors.ts'
import { plugins } from '#app/plugins.ts'
import { ApiError, defineError, defineResource } from '#kernel'
import type { RequestLimits } from '#kernel/operations'
import { addSteps, type Plugin } from '#kernel/plugin'
import { startApp, type TestApp } from '#test/support/app.ts'
import { sendBatch } from '#test/support/batch.ts'
import { catalogue } from '#test/support/catalogue.ts'
import { type Client, type ClientResponse, mediaType } from '#test/support/client.ts'
import { Book, Tag } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'

const file = 'test/template/kernel/limits/error-limits.test.ts'
const books = {
  file,
  resource: defineResource(Book, {
    type: 'books',
    fields: ({ id, belongsToMany }) => [id(), belongsToMany('tags', 'tags').maxItems(4)],
  }),
}
const tags = { file, resource: defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] }) }

const { limits: defaults } = appConfig(readConfig({ NODE_ENV: 'test' }))
const errorBytes = 200_000
const repeat = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)

describe('The limits of error documents', () => {
  let client: Client

  before(async () => {
    client = (await catalogue()).client
  })

  /** Starts an application with other limits than the defaults. */
  const withLimits = async (limits: Partial<RequestLimits>, test: (other: Client) => Promise<void>) => {
    const other = await startApp({ config: { limits: { ...defaults, ...limits } } })
    try {
      await test(other.client)
    } finally {
      await other.close()
    }
  }

  const expectTruncated = ({ text, body }: ClientResponse, count: number) => {
    expect(Buffer.byteLength(text)).to.be.at.most(errorBytes)
    expect(body.errors).to.have.length(count)
    expect(body.meta).to.deep.equal({ truncated: true })
  }

  describe('the members of a linkage', () => {
    const playlistWith = (data: unknown) => ({
      data: { type: 'playlists', attributes: { title: 'x' }, relationships: { tracks: { data } } },
    })
    const pointer = '/data/relationships/tracks/data'

    it('returns 400 LINKAGE_TOO_LARGE when a compressed body of 1 kB has 500,000 members that are not objects', async () => {
      const bytes = gzipSync(JSON.stringify(playlistWith(repeat(500_000, 1))), { level: 9 })
      expect(bytes.length).to.be.below(2000)
      const response = await fetch(`${client.url}/playlists`, {
        method: 'POST',
        headers: { accept: mediaType, 'content-type': mediaType, 'content-encoding': 'gzip' },
        body: new Uint8Array(bytes),
      })
      const text = await response.text()
      expect(response.status).to.equal(400)
      expect(Buffer.byteLength(text)).to.be.below(2000)
      const { errors } = JSON.parse(text)
      expect(errors).to.have.length(1)
      expect(errors[0].code).to.equal('LINKAGE_TOO_LARGE')
      expect(errors[0].source).to.deep.equal({ pointer })
      expect(errors[0].detail).to.equal("The linkage of 'tracks' has 500000 members; a request may have at most 1000.")
    })

    it('returns 400 LINKAGE_TOO_LARGE at /data when a relationship URL gets 28,000 unknown members', async () => {
      const data = Array.from({ length: 28_000 }, (_, index) => ({ type: 'tracks', id: String(index + 1000) }))
      for (const method of ['POST', 'PATCH', 'DELETE']) {
        const { status, body } = await client.send(method, '/albums/1/relationships/tracks', { body: { data } })
        expect(status, method).to.equal(400)
        expect(body.errors, method).to.have.length(1)
        expect(body.errors[0]).to.deep.include({ code: 'LINKAGE_TOO_LARGE', source: { pointer: '/data' } })
      }
    })

    it('returns 400 LINKAGE_TOO_LARGE in German with the limit and the number', async () => {
      const body = playlistWith(repeat(1001, 1))
      const answer = await client.post('/playlists', body, { 'accept-language': 'de' })
      expect(answer.body.errors[0].detail).to.equal(
        'Die Beziehung „tracks“ hat 1001 Verweise; eine Anfrage darf höchstens 1000 haben.',
      )
    })

    it('returns 400 LINKAGE_TOO_LARGE with the pointer of the operation in a batch', async () => {
      const { data } = playlistWith(repeat(1001, 1))
      const { status, body } = await sendBatch(client, [{ op: 'add', data }])
      expect(status).to.equal(400)
      expect(body.errors[0].code).to.equal('LINKAGE_TOO_LARGE')
      expect(body.errors[0].source).to.deep.equal({ pointer: `/atomic:operations/0${pointer}` })
    })

    it('returns 100 errors and meta.truncated when 1,000 members are not objects', async () => {
      const answer = await client.post('/playlists', playlistWith(repeat(1000, 1)))
      expect(answer.status).to.equal(400)
      expectTruncated(answer, 100)
    })

    it('returns 100 errors and meta.truncated when 1,000 members have another type or do not exist', async () => {
      const identifiers = (type: string, first: number) =>
        Array.from({ length: 1000 }, (_, index) => ({ type, id: String(index + first) }))
      const conflict = await client.post('/playlists', playlistWith(identifiers('albums', 1)))
      expect(conflict.status).to.equal(409)
      expectTruncated(conflict, 100)
      const missing = await client.post('/playlists', playlistWith(identifiers('tracks', 1000)))
      expect(missing.status).to.equal(404)
      expectTruncated(missing, 100)
    })

    it('returns 100 errors and meta.truncated when 1,000 ids have another form than ids of their type', async () => {
      const data = Array.from({ length: 1000 }, (_, index) => ({ type: 'playlists', id: `x${index}` }))
      const body = { data: { type: 'tracks', attributes: { title: 'x' }, relationships: { playlists: { data } } } }
      const answer = await client.post('/tracks', body)
      expect(answer.status).to.equal(422)
      expectTruncated(answer, 100)
    })

    it('accepts as many members as maxItems of the relation, if that is more than the limit', async () => {
      const limits = { ...defaults, linkageMembers: 2 }
      const library = await startLibrary({ resources: [books, tags], config: { limits } })
      const createBook = (count: number) => {
        const tagged = { tags: { data: repeat(count, { type: 'tags', id: '1' }) } }
        return library.client.post('/books', { data: { type: 'books', attributes: {}, relationships: tagged } })
      }
      try {
        const allowed = await createBook(4)
        expect(allowed.status, allowed.text).to.equal(404)
        const rejected = await createBook(5)
        expect(rejected.body.errors[0]).to.include({
          code: 'LINKAGE_TOO_LARGE',
          detail: "The linkage of 'tags' has 5 members; a request may have at most 4.",
        })
      } finally {
        await library.close()
      }
    })

    it('returns 100 errors and meta.truncated when 1,000 association rows break their rules', async () => {
      const data = Array.from({ length: 1000 }, (_, index) => ({
        type: 'tracks',
        id: String(index + 1),
        meta: { pivot: { position: 0 } },
      }))
      const relationships = { orderedTracks: { data } }
      const body = { data: { type: 'playlists', attributes: { title: 'x' }, relationships } }
      const answer = await client.post('/playlists', body)
      expect(answer.status).to.equal(422)
      expectTruncated(answer, 100)
    })

    it('returns all errors without meta when there are exactly 100', async () => {
      const { body } = await client.post('/playlists', playlistWith(repeat(100, 1)))
      expect(body.errors).to.have.length(100)
      expect(body).not.to.have.property('meta')
    })

    it('reads more members when MAX_LINKAGE_MEMBERS is 0, and still returns 100 errors', async () => {
      await withLimits({ linkageMembers: 0 }, async (other) => {
        const answer = await other.post('/playlists', playlistWith(repeat(400_000, 1)))
        expect(answer.status).to.equal(400)
        expectTruncated(answer, 100)
      })
    })
  })

  describe('the items of an attribute', () => {
    const track = (attributes: object) =>
      client.post('/tracks', { data: { type: 'tracks', attributes: { title: 'x', ...attributes } } })

    it('returns 100 errors and meta.truncated when 20,000 items of a list break a rule', async () => {
      const answer = await track({ genres: repeat(20_000, '') })
      expect(answer.status).to.equal(422)
      expectTruncated(answer, 100)
    })

    it('returns 422 when one of 50,000 different lists inside a list occurs twice', async () => {
      const genres = Array.from({ length: 50_000 }, (_, index) => [index])
      const { status, body } = await track({ genres: [...genres, [49_999]] })
      expect(status).to.equal(422)
      expect(body.errors[0].source.pointer).to.match(/^\/data\/attributes\/genres\/\d+$/)
    })

    it('returns one error of a shape and meta.truncated when a free object has 100,000 wrong parts', async () => {
      const dimensions = { widthMm: 'x', heightMm: 'x', rest: repeat(100_000, 1) }
      const attributes = { catalogNumber: 'x', dimensions }
      const answer = await client.post('/releases', { data: { type: 'releases', attributes } })
      expect(answer.status).to.equal(422)
      expectTruncated(answer, 1)
    })
  })

  describe('texts that the client sent', () => {
    const long = 'x'.repeat(10_000)

    it('echoes at most 100 characters of a name in detail and source.parameter', async () => {
      const { status, body } = await client.get(`/albums?${long}=1&filter[${long.slice(0, 3000)}]=1`)
      expect(status).to.equal(400)
      for (const { detail, source } of body.errors) {
        expect(detail.length).to.be.below(250)
        expect(source.parameter.length).to.be.at.most(101)
      }
      expect(body.errors[0].source.parameter).to.equal(`${'x'.repeat(100)}…`)
    })

    it('echoes at most 100 characters of an id', async () => {
      const { body } = await client.get(`/albums/${long}`)
      expect(body.errors[0].detail).to.equal(`There is no resource of type 'albums' with the id '${'x'.repeat(100)}…'.`)
    })

    it('lists at most 20 names, and the number of the remaining names', async () => {
      const names = Array.from({ length: 150 }, (_, index) => `x${index}`)
      const path = `/albums?fields[albums]=${names.join()}`
      const listed = names.slice(0, 20).join(', ')
      const available =
        'title, averageRating, artwork, releasedAt, explicit, status, availableFrom, availableUntil, releaseInfo, artist, tracks'
      const english = await client.get(path)
      expect(english.body.errors[0].detail).to.equal(
        `Resources of type 'albums' do not have these fields: ${listed}, … and 130 more. Available: ${available}.`,
      )
      const german = await client.get(path, { 'accept-language': 'de' })
      expect(german.body.errors[0].detail).to.equal(
        `Ressourcen vom Typ „albums“ haben diese Felder nicht: ${listed}, … und 130 weitere. Vorhanden: ${available}.`,
      )
    })
  })

  describe('errors of the application', () => {
    const broken = defineError('TEST_BROKEN', 422, 'Broken', '{message}')
    let thrown: unknown
    const thrower: Plugin = {
      name: 'thrower',
      plan: addSteps({
        begin({ url }) {
          if (url.path === '/artists') throw thrown
        },
      }),
    }
    let app: TestApp
    const answerTo = (error: unknown) => {
      thrown = error
      return app.client.get('/artists')
    }

    before(async () => {
      app = await startApp({ plugins: [...plugins, thrower], undescribed: ['default'] })
    })
    after(() => app.close())

    it('drops the last errors when the document would have more than 200 kB', async () => {
      const errors = Array.from({ length: 100 }, (_, index) =>
        broken({ message: 'ä'.repeat(1000) }, { source: { pointer: `/${index}/${'ö'.repeat(900)}` } }),
      )
      const answer = await answerTo(new ApiErrors(errors))
      const bytes = Buffer.byteLength(answer.text)
      expect(bytes).to.be.within(errorBytes - 5000, errorBytes)
      expectTruncated(answer, answer.body.errors.length)
      expect(answer.body.errors.length).to.be.below(100)
    })

    it('drops all errors after the first 100', async () => {
      expectTruncated(await answerTo(new ApiErrors(repeat(500, broken({ message: 'x' })))), 100)
    })

    it('does not shorten a detail of up to 1,000 characters', async () => {
      const { body } = await answerTo(broken({ message: 'x'.repeat(1000) }))
      expect(body.errors[0].detail).to.have.length(1000)
    })

    it('points at the nearest parent when a pointer has more than 1,000 characters', async () => {
      const { body } = await answerTo(broken({}, { source: { pointer: `/data/attributes/${'x'.repeat(2000)}/0` } }))
      expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes' })
    })
  })

  describe('ApiError', () => {
    const gone = defineError('TEST_GONE', 410, 'Gone', 'Gone.')

    it('captures no stack trace', () => {
      for (const error of [gone(), new ApiErrors([gone()])]) {
        expect(error.stack ?? '').not.to.match(/^ {4}at /m)
        expect(error).to.be.an.instanceOf(Error)
      }
      expect(gone()).to.be.an.instanceOf(ApiError)
    })

    it('does not change the stack traces of other errors', () => {
      gone()
      expect(new Error('x').stack).to.match(/^ {4}at /m)
    })
  })
})
