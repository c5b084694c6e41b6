import { expect } from 'chai'
import { type Caller, defineResource, type ResourceDeclaration } from '#kernel'
import { httpHeaders } from '#plugins/http-headers/index.ts'
import { cursor } from '#plugins/pagination/index.ts'
import type { Statement } from '#store'
import type { TestApp } from '#test/support/app.ts'
import type { ClientResponse } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { blueTag, fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { atomicMediaType, expectError, readIds } from '#test/template/specification/support.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

const profile = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'
const queries = { accept: `application/vnd.api+json;profile="${profile}"` }
const isNotRoot = ({ principal }: Caller) => principal?.identifier !== 'root'

const books = (further: Partial<ResourceDeclaration<Book>> = {}) =>
  defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, decimal, map, belongsTo, belongsToMany }) => [
      id(),
      string('title').sortable(),
      decimal('rating').nullable().sortable().hiddenFor(isNotRoot),
      map('facts', integer('position').hiddenFor(isNotRoot), string('pages').nullable()),
      string('note').storedAs('secret').nullable().sortable().hiddenFor(isNotRoot).readOnly(),
      belongsTo('shelf', 'shelves').hiddenFor(isNotRoot),
      belongsToMany('tags', 'tags').hiddenFor(isNotRoot).countable().withData(),
    ],
    sorts: { place: 'position', score: { handler: (descending) => [{ property: 'rating', descending }] } },
    filters: (builders) => [
      builders.range('rating'),
      builders.where('place', 'position'),
      builders.contains('title'),
      builders.whereAny('either', builders.where('a', 'title'), builders.where('b', 'secret')),
      builders.whereHas('shelved', 'shelf'),
      builders.whereIdIn('tags', 'tags'),
      builders.whereThrough('shelfName', 'shelf.name'),
      builders.custom('words').handledBy('search', 'title', 'secret'),
      builders.whereNull('unrated', 'rating').default('1').fixed('1'),
    ],
    defaultIncludes: ['shelf'],
    pagination: () => cursor({ size: 2 }),
    ...further,
  })

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .countable()
      .paginate(cursor({ size: 2 })),
  ],
  filters: (builders) => [builders.whereThrough('rated', 'books.rating')],
})

const root = as('root')
const ann = as('ann')
const cacheHeaders = { public: true, max_age: 60 }
const plugins = pluginsWithTokens('root', 'ann').map((plugin) =>
  plugin.name === 'http-headers' ? httpHeaders({ cacheHeaders }) : plugin,
)

describe('hiddenFor(fn)', () => {
  let library: TestApp
  let client: TestApp['client']

  before(async () => {
    const ordered = books({ defaultSort: ['-rating'], filters: withoutDefault })
    library = await startLibrary({ resources: libraryWith(ordered, shelves), plugins })
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const attributesOf = ({ body }: ClientResponse) => body.data.attributes

  it('omits the member when it returns true, also if a fieldset names it', async () => {
    const all = { title: 'Emma', rating: 8.5, facts: { position: 3, pages: '474' }, note: null }
    for (const headers of [{}, ann]) {
      expect(attributesOf(await client.get('/books/1', headers))).to.deep.equal({
        title: 'Emma',
        facts: { pages: '474' },
      })
      const sparse = await client.get('/books/1?fields[books]=rating,title,shelf,tags', headers)
      expect(attributesOf(sparse)).to.deep.equal({ title: 'Emma' })
      expect(sparse.body.data.relationships).to.equal(undefined)
    }
    const shown = await client.get('/books/1', root)
    expect(attributesOf(shown)).to.deep.equal(all)
    expect(shown.body.data.relationships).to.have.all.keys('shelf', 'tags')
  })

  it('returns the visible members to each requester when requests with different visibility alternate', async () => {
    for (const path of ['/books/1', '/books', '/shelves/1?include=books', '/books/1?fields[books]=rating,title']) {
      const first = (await client.get(path, ann)).text
      expect(first, path).not.to.contain('"rating"')
      expect((await client.get(path, root)).text, path).to.contain('"rating":8.5')
      expect((await client.get(path, ann)).text, path).to.equal(first)
    }
  })

  it('omits the column from statements when it returns true', async () => {
    const textOf = (statements: readonly Statement[]) => statements.map(({ sql }) => sql).join()
    const hidden = await statementsOf(() => client.get('/books/1', ann))
    const shown = await statementsOf(() => client.get('/books/1', root))
    expect(textOf(hidden)).not.to.contain('"rating"')
    expect(textOf(shown)).to.contain('"rating"')
  })

  it('returns 400 SORTING_UNRECOGNIZED for sorts that read the member, by field, property or handler', async () => {
    for (const key of ['rating', 'note', 'place', 'score', '-rating']) {
      expectError(await client.get(`/books?sort=${key}`, ann), 400, 'SORTING_UNRECOGNIZED', { parameter: 'sort' })
      if (key !== 'score') expect((await client.get(`/books?sort=${key}`, root)).status, key).to.equal(200)
    }
    expectError(await client.get('/shelves/1/books?sort=rating', ann), 400, 'SORTING_UNRECOGNIZED', {
      parameter: 'sort',
    })
    expect(readIds((await client.get('/shelves/1/books?sort=rating', root)).body.data)).to.deep.equal(['3', '1'])
  })

  it('returns 400 FILTERING_UNRECOGNIZED for every kind of filter that reads the member', async () => {
    for (const filter of [
      'rating][min]=1',
      'place]=1',
      'either]=x',
      'shelved]=1',
      `tags]=${redTag}`,
      'shelfName]=Fiction',
      'words]=x',
    ]) {
      const key = filter.slice(0, filter.indexOf(']'))
      const refused = await client.get(`/books?filter[${filter}`, ann)
      expectError(refused, 400, 'FILTERING_UNRECOGNIZED', { parameter: `filter[${key}]` })
      expect((await client.get(`/books?filter[${filter}`, root)).status, filter).to.equal(200)
    }
    expectError(await client.get('/shelves?filter[rated]=7', ann), 400, 'FILTERING_UNRECOGNIZED', {
      parameter: 'filter[rated]',
    })
    expect(readIds((await client.get('/shelves?filter[rated]=7', root)).body.data)).to.deep.equal(['1'])
    expect((await client.get('/books?filter[title]=emma', ann)).body.data).to.have.length(1)
  })

  it('returns 400 for an include of the relation, and omits it from default includes', async () => {
    for (const path of ['/books/1?include=shelf', '/books?include=tags', '/shelves/1?include=books.shelf']) {
      expectError(await client.get(path, ann), 400, 'INCLUSION_UNRECOGNIZED', { parameter: 'include' })
      expect((await client.get(path, root)).status, path).to.equal(200)
    }
    expect((await client.get('/books/1', ann)).body.included).to.equal(undefined)
    expect((await client.get('/books/1', root)).body.included).to.have.length(1)
  })

  it('returns 404 at the URLs of the relation for every method, also for invalid requests', async () => {
    const many = { data: [{ type: 'tags', id: redTag }] }
    for (const [method, path, body] of [
      ['GET', '/books/1/shelf?unknown=1'],
      ['GET', '/books/1/relationships/shelf'],
      ['PATCH', '/books/1/relationships/shelf', { data: null }],
      ['POST', '/books/1/relationships/shelf', { data: null }],
      ['GET', '/books/1/tags'],
      ['POST', '/books/1/relationships/tags', many],
      ['PATCH', '/books/1/relationships/tags', many],
      ['DELETE', '/books/1/relationships/tags', many],
    ] as const) {
      const response = await client.send(method, path, { body, headers: ann })
      expect(response.status, `${method} ${path}`).to.equal(404)
      expect(response.body.errors[0].code, `${method} ${path}`).to.equal('RELATIONSHIP_NOT_EXISTS')
    }
    expect((await client.get('/books/1/tags', root)).body.data).to.have.length(2)
    expect((await client.delete('/books/1/relationships/tags', many, root)).status).to.equal(200)
  })

  it('returns 404 for a batch operation at the relationship, and omits the member from results', async () => {
    const headers = { ...ann, accept: atomicMediaType, 'content-type': atomicMediaType }
    const send = (...operations: object[]) =>
      client.send('POST', '/operations', { body: { 'atomic:operations': operations }, headers })
    const ref = { type: 'books', id: '1', relationship: 'shelf' }
    expect((await send({ op: 'update', ref, data: null })).status).to.equal(404)
    const data = { type: 'books', attributes: { title: 'New', rating: 9, facts: { position: 4 } } }
    const made = await send({ op: 'add', data }, { op: 'add', data })
    expect(made.status, made.text).to.equal(200)
    expect(made.text).not.to.contain('rating')
    expect(made.body['atomic:results'][0].data.attributes).to.deep.equal({ title: 'New', facts: null })
  })

  it('returns 400 for withCount and relationship queries of the relation', async () => {
    expectError(await client.get('/books/1?withCount=tags', ann), 400, 'RELATIONSHIP_COUNT_NOT_ALLOWED', {
      parameter: 'withCount',
    })
    expect((await client.get('/books/1?withCount=tags', root)).body.data.relationships.tags.meta.total).to.equal(2)
    const path = '/books/1?relatedQuery[tags][sort]=name'
    expectError(await client.get(path, { ...ann, ...queries }), 400, 'QUERY_PARAM_UNRECOGNIZED', {
      parameter: 'relatedQuery[tags]',
    })
    expect((await client.get(path, { ...root, ...queries })).status).to.equal(200)
  })

  it('returns 400 for relationship queries that sort or filter by the member', async () => {
    const path = '/shelves/1?relatedQuery[books]'
    expectError(await client.get(`${path}[sort]=rating`, { ...ann, ...queries }), 400, 'SORTING_UNRECOGNIZED', {
      parameter: 'relatedQuery[books][sort]',
    })
    const refused = await client.get(`${path}[filter][place]=1`, { ...ann, ...queries })
    expectError(refused, 400, 'FILTERING_UNRECOGNIZED', { parameter: 'relatedQuery[books][filter][place]' })
    expect((await client.get(`${path}[sort]=rating`, { ...root, ...queries })).status).to.equal(200)
  })

  it('sorts by the primary key instead of a default sort by the member, so that no cursor contains its value', async () => {
    const cursors = ({ text }: ClientResponse) =>
      [...text.matchAll(/page%5Bafter%5D=([\w-]+)|page\[after\]=([\w-]+)/g)].map((match) =>
        Buffer.from((match[1] ?? match[2]) as string, 'base64url').toString(),
      )
    expect(readIds((await client.get('/books', root)).body.data)).to.deep.equal(['2', '1'])
    for (const path of ['/books', '/shelves/1/books', '/shelves/1?include=books', '/shelves?include=books']) {
      for (const headers of [ann, { ...ann, ...queries }]) {
        const found = cursors(await client.get(path, headers))
        expect(found.join(), path).not.to.contain('rating')
      }
    }
    const own = await client.get('/books', ann)
    expect(readIds(own.body.data)).to.deep.equal(['1', '2'])
    expect(cursors(own)).to.deep.equal(['{"k":["id"],"v":[2],"d":"after"}'])
    expect(readIds((await client.get(own.body.links.next, ann)).body.data)).to.deep.equal(['3', '4'])
  })

  it('returns 400 CURSOR_STALE when a cursor is sorted by the member', async () => {
    const next: string = (await client.get('/books', root)).body.links.next
    expect((await client.get(next, root)).status).to.equal(200)
    expectError(await client.get(next, ann), 400, 'CURSOR_STALE', { parameter: 'page[after]' })
  })

  it('accepts writes of the member unless it is read-only', async () => {
    const relationships = { tags: { data: [{ type: 'tags', id: blueTag }] }, shelf: { data: null } }
    const attributes = { rating: 1.5, note: 'ignored', facts: { position: 9 } }
    const answer = await client.patch('/books/1', { data: { type: 'books', id: '1', attributes, relationships } }, ann)
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body.data.attributes).to.deep.equal({ title: 'Emma', facts: { pages: '474' } })
    const { orm } = await libraryDatabase()
    const book = await orm.em.fork().findOneOrFail(Book, 1, { populate: ['tags'] })
    expect(book).to.include({ rating: 1.5, secret: null, position: 9 })
    expect(book.tags.getIdentifiers()).to.deep.equal([blueTag])
  })

  it('makes the response private with Vary: Authorization when the function reads the principal', async () => {
    const read = await client.get('/books/1', ann)
    expect(read.headers.get('vary')).to.contain('Authorization')
    expect(read.headers.get('cache-control')).to.equal('private, max-age=60')
    const other = await client.get('/tags', ann)
    expect(other.headers.get('cache-control')).to.equal('public, max-age=60')
  })

  it('applies to app.dispatch with a principal, and not without one', async () => {
    const dispatch = (principal?: { identifier: string; roles: string[] } | null) =>
      library.app
        .dispatch({
          kind: 'FetchCollection',
          type: 'books',
          query: 'sort=rating',
          ...(principal !== undefined && { principal }),
        })
        .catch((thrown) => thrown.toObject?.() ?? thrown)
    expect(await dispatch()).to.include({ status: 200 })
    expect(await dispatch({ identifier: 'root', roles: [] })).to.include({ status: 200 })
    expect(await dispatch(null)).to.include({ code: 'SORTING_UNRECOGNIZED' })
    const target = { type: 'books', id: '1', relation: 'tags' } as const
    for (const operation of [
      { kind: 'FetchRelated', ...target },
      { kind: 'FetchRelationship', ...target },
      { kind: 'UpdateRelationship', ...target, data: [] },
    ] as const) {
      const refused = await library.app.dispatch({ ...operation, principal: null }).catch((thrown) => thrown)
      expect(refused.toObject(), operation.kind).to.include({ code: 'RELATIONSHIP_NOT_EXISTS' })
      expect(await library.app.dispatch(operation), operation.kind).to.include({ status: 200 })
    }
  })

  it('receives server, method and headers, and adds the headers that it reads to Vary', async () => {
    const callers: unknown[] = []
    const withHeader = books({
      fields: ({ id, string }) => [
        id(),
        string('title').hiddenFor((caller) => {
          const { principal, serverName, method } = caller
          callers.push({ principal, serverName, method, header: caller.header('X-Team') })
          return caller.header('x-team') !== 'blue'
        }),
      ],
      ...bare,
    })
    const app = await startLibrary({ resources: libraryWith(withHeader), plugins })
    try {
      const { body, headers } = await app.client.get('/books', { 'x-team': 'blue' })
      expect(body.data[0].attributes).to.deep.equal({ title: 'Emma' })
      expect(headers.get('vary')?.toLowerCase()).to.contain('x-team')
      expect(callers).to.deep.equal([{ principal: null, serverName: 'default', method: 'GET', header: 'blue' }])
      expect((await app.client.get('/books/1')).body.data.attributes).to.equal(undefined)
      expect((callers[1] as { header: unknown }).header).to.equal(undefined)
    } finally {
      await app.close()
    }
  })

  it('hides the member when the function throws or returns anything but false', async () => {
    for (const [name, answer] of [
      ['undefined', () => undefined],
      ['a promise', async () => false],
      ['0', () => 0],
      [
        'an error',
        () => {
          throw new Error('This function always fails.')
        },
      ],
    ] as const) {
      const odd = books({
        fields: ({ id, string, decimal }) => [
          id(),
          string('title').hiddenFor(answer as never),
          decimal('rating').hidden(answer as never),
          string('secret').writeOnly(answer as never),
        ],
        ...bare,
      })
      const app = await startLibrary({ resources: libraryWith(odd), plugins })
      try {
        expect((await app.client.get('/books/1')).body.data.attributes, name).to.equal(undefined)
      } finally {
        await app.close()
      }
    }
  })

  it('applies a default filter by the member also when the requester may not send that filter', async () => {
    const app = await startLibrary({ resources: libraryWith(books(), shelves), plugins })
    try {
      expect(readIds((await app.client.get('/books', ann)).body.data)).to.deep.equal(['2'])
      const refused = await app.client.get('/books?filter[unrated]=', ann)
      expectError(refused, 400, 'FILTERING_UNRECOGNIZED', { parameter: 'filter[unrated]' })
    } finally {
      await app.close()
    }
  })
})

const bare = { sorts: {}, filters: () => [], defaultIncludes: [] }

type Filters = NonNullable<ResourceDeclaration<Book>['filters']>
const withoutDefault: Filters = (builders) => {
  const declared = (books().declaration as unknown as { filters: Filters }).filters(builders)
  return declared.slice(0, -1)
}
