import { expect } from 'chai'
import type Koa from 'koa'
import type { Profile } from '#app/kernel/contract/server.ts'
import { all, compare, defineResource } from '#kernel'
import type { ServerOptions } from '#kernel/plugin'
import { countableProfileUri } from '#plugins/countable/index.ts'
import { cursor, offset } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { declared, inLibrary } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { cursorUri, expectError, expectPlain404, readIds, sendRaw } from '#test/template/specification/support.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

const stamp: Profile = {
  uri: 'https://library.example/profiles/stamp',
  parameters: { 'stamp-text': () => {} },
  apply(document, { url }) {
    document.meta = { ...document.meta, stamped: url.path }
  },
}

const greet: Koa.Middleware = async (ctx, next) => {
  ctx.set('X-Greeting', 'hello')
  await next()
}

const servers: Readonly<Record<string, ServerOptions>> = {
  default: {},
  branch: { domain: 'Branch.Example', baseUri: 'https://branch.example' },
  staff: {
    prefix: '/staff/v2',
    middleware: [greet],
    paginator: offset({ size: 1 }),
    maxIncludeDepth: 1,
    profiles: [stamp, countableProfileUri],
    parameters: {
      minPages: (value, query) => void query.where.push(all(compare('pages', '>=', Number(value)))),
    },
  },
  archive: { prefix: '/archive', paginator: null, profiles: [] },
}

describe('Servers', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    await fillLibrary()
    library = await startLibrary({ servers, resources: onAllServers() })
    client = library.client
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  describe('with a domain', () => {
    const at = (host: string, path: string) => sendRaw(client.url, { path, headers: { host } })

    it('serve that host, in any case and on any port, before a server without a domain', async () => {
      for (const host of ['branch.example', 'BRANCH.example:8080']) {
        const { body } = await at(host, '/shelves/1')
        expect(body.data.links.self).to.equal('https://branch.example/shelves/1')
      }
      expect((await at('elsewhere.example', '/shelves/1')).body.links.self).to.equal(
        'http://elsewhere.example/shelves/1',
      )
    })

    it('pass URLs that they do not match to other servers', async () => {
      expect((await at('branch.example', '/tags')).body.data[0].links.self).to.match(/^http:\/\/branch.example\/tags\//)
      expect((await at('branch.example', '/archive/books/1')).status).to.equal(200)
    })
  })

  describe('with a prefix', () => {
    it('return links that contain the prefix', async () => {
      const { body } = await client.get('/staff/v2/books/1?include=shelf')
      const base = `${client.url}/staff/v2`
      expect(body.links.self).to.equal(`${base}/books/1?include=shelf`)
      expect(body.data.links.self).to.equal(`${base}/books/1`)
      expect(body.data.relationships.shelf.links.related).to.equal(`${base}/books/1/shelf`)
      expect(body.included[0].links.self).to.equal(`${base}/shelves/1`)
      const page = await client.get('/staff/v2/books?page[size]=1')
      expect(page.body.links.next).to.match(new RegExp(`^${base}/books\\?`))
    })

    it('run their own middleware before all their routes', async () => {
      for (const path of ['/staff/v2/books', '/staff/v2/books/99', '/staff/v2/operations']) {
        expect((await client.get(path)).headers.get('x-greeting'), path).to.equal('hello')
      }
      expect((await client.get('/books')).headers.get('x-greeting')).to.equal(null)
      expectPlain404(await client.get('/staff/books'))
    })
  })

  describe('paginate a type without a paginator', () => {
    it('with the paginator of the server', async () => {
      expect((await client.get('/staff/v2/shelves')).body.meta.page).to.deep.equal({
        offset: 0,
        limit: 1,
        from: 1,
        to: 1,
      })
      expect((await client.get('/shelves')).body.meta.page).to.include({ currentPage: 1, perPage: 15 })
    })

    it('not at all when the paginator of the server is null', async () => {
      const { body } = await client.get('/archive/shelves?page[size]=1')
      expect(readIds(body.data)).to.deep.equal(['1', '2'])
      expect(body.meta).to.deep.equal({ total: 2 })
    })

    it('and its related collections with the same paginator', async () => {
      expect(readIds((await client.get('/staff/v2/books/1/tags')).body.data)).to.have.length(1)
      expect(readIds((await client.get('/archive/books/1/tags')).body.data)).to.have.length(2)
    })
  })

  it('limit the depth of includes by their own maxIncludeDepth', async () => {
    expect((await client.get('/books?include=shelf.books')).status).to.equal(200)
    const refused = await client.get('/staff/v2/books?include=shelf.books')
    expectError(refused, 400, 'INCLUSION_DEPTH_EXCEEDED', { parameter: 'include' })
  })

  describe('have profiles', () => {
    const asking = (uri: string) => ({ accept: `${mediaType}; profile="${uri}"` })

    it('and recognize only the query families of these profiles', async () => {
      expect((await client.get('/staff/v2/shelves?withCount=books')).status).to.equal(200)
      const refused = await client.get('/archive/shelves?withCount=books')
      expectError(refused, 400, 'QUERY_PARAM_UNRECOGNIZED', { parameter: 'withCount' })
      const { body, headers } = await client.get('/archive/shelves', asking(countableProfileUri))
      expect(body.jsonapi).to.deep.equal({ version: '1.1' })
      expect(headers.get('content-type')).to.equal(mediaType)
    })

    it('and do not announce the profile of a paginator that they do not have', async () => {
      expect((await client.get('/books')).body.jsonapi.profile).to.deep.equal([cursorUri])
      const { body } = await client.get('/staff/v2/books')
      expect(body.jsonapi).to.deep.equal({ version: '1.1' })
      expect(body.meta.page).to.include({ perPage: 5, from: '1' })
    })

    it('of their own, which are applied and announced when a client requests them', async () => {
      const { body, headers } = await client.get('/staff/v2/shelves/1', asking(stamp.uri))
      expect(body.meta).to.deep.equal({ stamped: '/shelves/1' })
      expect(body.jsonapi.profile).to.deep.equal([stamp.uri])
      expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${stamp.uri}"`)
      expect((await client.get('/staff/v2/shelves/1')).body).not.to.have.property('meta')
      expect((await client.get('/shelves/1', asking(stamp.uri))).body).not.to.have.property('meta')
    })

    it('of their own, which are not applied to errors', async () => {
      const { body } = await client.get('/staff/v2/shelves/99', asking(stamp.uri))
      expect(body).to.have.all.keys('errors', 'jsonapi')
      expect(body.jsonapi).to.deep.equal({ version: '1.1' })
    })

    it('of their own, and recognize their query families', async () => {
      expect((await client.get('/staff/v2/shelves?stamp-text=a')).status).to.equal(200)
      expect((await client.get('/shelves?stamp-text=a')).status).to.equal(400)
    })
  })

  it('have their own query families, which other servers reject', async () => {
    const { body } = await client.get('/staff/v2/books?minPages=200&page[limit]=10')
    expect(readIds(body.data)).to.have.members(['1', '2'])
    expectError(await client.get('/books?minPages=200'), 400, 'QUERY_PARAM_UNRECOGNIZED', { parameter: 'minPages' })
  })

  it('use the forwarded host only if the proxy is trusted', async () => {
    const headers = { 'x-forwarded-host': 'branch.example', 'x-forwarded-proto': 'https' }
    expect((await client.get('/shelves/1', headers)).body.links.self).to.equal(`${client.url}/shelves/1`)
    await inLibrary({ servers, resources: onAllServers(), config: { trustProxy: true } }, async (trusting) => {
      const { body } = await trusting.client.get('/shelves/1', headers)
      expect(body.links.self).to.equal('https://branch.example/shelves/1')
      const staff = await trusting.client.get('/staff/v2/shelves/1', headers)
      expect(staff.body.links.self).to.equal('https://branch.example/staff/v2/shelves/1')
    })
  })
})

function onAllServers() {
  const server = ['default', 'branch', 'staff', 'archive']
  return declared(
    defineResource(Shelf, {
      type: 'shelves',
      server,
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books').countable()],
    }),
    defineResource(Book, {
      type: 'books',
      server,
      fields: ({ id, string, belongsTo, belongsToMany }) => [
        id(),
        string('title'),
        belongsTo('shelf', 'shelves'),
        belongsToMany('tags', 'tags'),
      ],
      pagination: () => cursor({ size: 5 }),
    }),
    defineResource(Tag, {
      type: 'tags',
      server: ['default', 'staff', 'archive'],
      fields: ({ id, string }) => [id(), string('name')],
    }),
  )
}
