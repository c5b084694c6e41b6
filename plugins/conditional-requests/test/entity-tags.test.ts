import { expect } from 'chai'
import { defineResource } from '#kernel'
import { addSteps } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'

const tagOf = ({ headers }: ClientResponse) => headers.get('etag') ?? ''
const patchOf = (name: string) => ({ data: { type: 'shelves', id: '1', attributes: { name } } })

describe('ETag', () => {
  let library: TestApp
  let client: Client
  before(async () => {
    library = await startLibrary({ config: configFrom({ COMPRESSION_THRESHOLD: '1' }) })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('is the version of the row and a digest of the body for a resource at its own URL', async () => {
    const response = await client.get('/shelves/1')
    expect(tagOf(response)).to.match(/^"\d+-[\w+/]{22}"$/)
    expect(tagOf(await client.get('/shelves/1'))).to.equal(tagOf(response))
    const sparse = tagOf(await client.get('/shelves/1?fields[shelves]=name'))
    expect(versionInTag(sparse)).to.equal(versionInTag(tagOf(response)))
    expect(sparse).not.to.equal(tagOf(response))
  })

  it('changes with every update, and is the tag of the response of the update', async () => {
    const before = tagOf(await client.get('/shelves/1'))
    const updated = tagOf(await client.patch('/shelves/1', patchOf('Drama')))
    expect(versionInTag(updated)).not.to.equal(versionInTag(before))
    expect(tagOf(await client.get('/shelves/1'))).to.equal(updated)
  })

  it('does not change when an update changes no value', async () => {
    const { body, ...response } = await client.get('/shelves/1')
    const same = await client.patch('/shelves/1', patchOf(body.data.attributes.name))
    expect(tagOf(same)).to.equal(tagOf({ body, ...response }))
  })

  it('of a created resource has the version that a read returns', async () => {
    const created = await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'New' } } })
    expect(created.status).to.equal(201)
    const read = await client.get(`/shelves/${created.body.data.id}`)
    expect(versionInTag(tagOf(created))).to.equal(versionInTag(tagOf(read)))
  })

  it('is a digest of the body for one related resource, also when it is null', async () => {
    for (const path of ['/books/1/shelf', '/shelves/1/label']) {
      const response = await client.get(path)
      expect(response.status, path).to.equal(200)
      expect(tagOf(response), path).to.match(/^"[\w+/]{22}"$/)
    }
  })

  it('is the digests of linkage and body for a relationship; a page of it has a digest of the body', async () => {
    expect(tagOf(await client.get('/books/1/relationships/tags'))).to.match(/^"[\w+/]{22}-[\w+/]{22}"$/)
    expect(tagOf(await client.get('/shelves/1/relationships/books?page[size]=1'))).to.match(/^"[\w+/]{22}"$/)
  })

  it('is missing on collections, errors, deletions and batches', async () => {
    for (const path of ['/shelves', '/shelves/1/books', '/shelves/99', '/shelves?sort=none']) {
      expect((await client.get(path)).headers.get('etag'), path).to.equal(null)
    }
    expect((await client.delete('/labels/1')).headers.get('etag')).to.equal(null)
  })

  it('is set on collections of types that declare etags or cacheHeaders', async () => {
    for (const [declared, isTagged] of [
      [{ etags: true }, true],
      [{ cacheHeaders: { max_age: 60 } }, true],
      [{ cacheHeaders: { max_age: 60 }, etags: false }, false],
      [{}, false],
    ] as const) {
      const tags = defineResource(Tag, {
        type: 'tags',
        fields: ({ id, belongsToMany }) => [id(), belongsToMany('books', 'books')],
        ...declared,
      })
      const others = libraryResources.filter(({ resource }) => resource.declaration.type !== 'tags')
      const app = await startLibrary({ resources: [...others, { file: 'tags.ts', resource: tags }] })
      const response = await app.client.get('/tags')
      expect(tagOf(response) !== '', JSON.stringify(declared)).to.equal(isTagged)
      if (isTagged) {
        const unchanged = await app.client.get('/tags', { 'if-none-match': tagOf(response) })
        expect(unchanged.status).to.equal(304)
        expect(unchanged.headers.get('cache-control')).to.equal(response.headers.get('cache-control'))
        expect((await app.client.get('/tags?page[size]=1', { 'if-none-match': tagOf(response) })).status).to.equal(200)
      }
      await app.close()
    }
  })

  it('of a hook or a plugin is kept', async () => {
    const early = {
      name: 'early',
      plan: addSteps({
        respond: ({ ctx }: { ctx: { set(name: string, value: string): void } }) => ctx.set('ETag', '"own"'),
      }),
    }
    const { plugins } = await import('#app/plugins.ts')
    const app = await startLibrary({ plugins: [early, ...plugins] })
    expect(tagOf(await app.client.get('/shelves/1'))).to.equal('"own"')
    expect((await app.client.get('/shelves/1', { 'if-none-match': '"own"' })).status).to.equal(304)
    await app.close()
  })

  describe('and If-None-Match', () => {
    const paths = ['/shelves/1', '/shelves/1?include=allBooks', '/books/1/shelf', '/books/1/relationships/tags']
    const lists: Readonly<Record<string, (tag: string) => string>> = {
      'the tag': (tag) => tag,
      'the weak tag': (tag) => `W/${tag}`,
      'a list with the tag': (tag) => `"other", ${tag},"third"`,
      'the tag of the compressed response': (tag) => tag.replace(/"$/, '-gzip"'),
      '*': () => '*',
    }
    for (const path of paths) {
      for (const method of ['GET', 'HEAD']) {
        for (const [name, toHeader] of Object.entries(lists)) {
          it(`returns 304 to ${method} ${path} for ${name}`, async () => {
            const whole = await client.send(method, path)
            const headers = { 'if-none-match': toHeader(tagOf(whole)) }
            const { status, headers: sent, text } = await client.send(method, path, { headers })
            expect(status).to.equal(304)
            expect(text).to.equal('')
            expect(sent.get('etag')).to.equal(name.includes('compressed') ? headers['if-none-match'] : tagOf(whole))
            expect(sent.get('vary')).to.equal(whole.headers.get('vary'))
            expect(sent.get('content-type')).to.equal(null)
          })
        }
      }
    }

    it('returns 200 when no tag matches, or the header is invalid', async () => {
      for (const header of ['"other"', 'W/"other"', 'garbage', '', '"', '**', tagOf(await client.get('/shelves/2'))]) {
        const { status } = await client.get('/shelves/1', { 'if-none-match': header })
        expect(status, header).to.equal(200)
      }
    })

    it('returns 200 after the resource has changed', async () => {
      const before = tagOf(await client.get('/shelves/1'))
      await client.patch('/shelves/1', patchOf('Drama'))
      expect((await client.get('/shelves/1', { 'if-none-match': before })).status).to.equal(200)
    })

    it('returns 404 when the resource does not exist', async () => {
      expect((await client.get('/shelves/99', { 'if-none-match': '*' })).status).to.equal(404)
    })
  })

  describe('and If-Match of a GET', () => {
    it('returns the resource when the version matches, and 412 when it does not', async () => {
      const tag = tagOf(await client.get('/shelves/1'))
      for (const header of [tag, '*', `"0-0", ${tag}`]) {
        expect((await client.get('/shelves/1?fields[shelves]=', { 'if-match': header })).status, header).to.equal(200)
      }
      for (const header of ['"0-0"', `W/${tag}`, 'garbage']) {
        const { status, body, headers } = await client.get('/shelves/1', { 'if-match': header })
        expect(status, header).to.equal(412)
        expect(body.errors[0]).to.include({ code: 'PRECONDITION_FAILED' })
        expect(headers.get('etag')).to.equal(null)
      }
      expect((await client.get('/shelves/99', { 'if-match': '*' })).status).to.equal(404)
    })
  })

  describe('of a compressed response', () => {
    it('has the encoding as a suffix, and matches with and without it', async () => {
      const plain = tagOf(await client.get('/shelves/1'))
      const encodings = { gzip: 'gzip', br: 'br', 'gzip;q=0.5, deflate': 'deflate' }
      for (const [header, encoding] of Object.entries(encodings)) {
        const response = await fetch(`${client.url}/shelves/1`, { headers: { 'accept-encoding': header } })
        const tag = response.headers.get('etag') ?? ''
        expect(response.headers.get('content-encoding')).to.equal(encoding)
        expect(tag).to.equal(plain.replace(/"$/, `-${encoding}"`))
        for (const sent of [plain, tag]) {
          const unchanged = await fetch(`${client.url}/shelves/1`, {
            headers: { 'accept-encoding': header, 'if-none-match': sent },
          })
          expect(unchanged.status).to.equal(304)
          expect(unchanged.headers.get('etag')).to.equal(sent)
          expect(unchanged.headers.get('content-encoding')).to.equal(null)
        }
      }
      const compressed = plain.replace(/"$/, '-gzip"')
      expect((await client.patch('/shelves/1', patchOf('Drama'), { 'if-match': compressed })).status).to.equal(200)
    })

    it('matches for the OpenAPI document as well', async () => {
      const { headers } = await fetch(`${client.url}/docs.json`, { headers: { 'accept-encoding': 'gzip' } })
      const tag = headers.get('etag') ?? ''
      expect(tag).to.match(/-gzip"$/)
      expect((await client.get('/docs.json', { 'if-none-match': tag })).status).to.equal(304)
    })
  })
})

function versionInTag(tag: string): string {
  return tag.slice(1, tag.indexOf('-'))
}
