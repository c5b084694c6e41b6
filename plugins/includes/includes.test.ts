import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { addNeeds } from '#kernel/queries'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

describe('include', () => {
  let client: Client
  const started: TestApp[] = []
  const start = async (overrides: Overrides = {}, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(overrides), ...options })
    started.push(library)
    return library.client
  }

  before(async () => {
    await emptyLibrary()
    await fillLibrary()
  })

  after(emptyLibrary)

  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })

  describe('as a query parameter', () => {
    beforeEach(async () => {
      client = await start()
    })

    it('returns the related resources once each, and their linkage', async () => {
      const { body } = await client.get('/books?include=shelf')
      expect(included(body)).to.deep.equal(['shelves 1', 'shelves 2'])
      expect(linkage(body.data, 'shelf')).to.deep.equal(['1', '1', '2', null])
    })

    it('INC-07 includes the intermediate resources of a path', async () => {
      const { body } = await client.get('/labels/1?include=shelf.books.tags')
      expect(included(body)).to.deep.equal(['shelves 1', 'books 2', 'books 1', `tags ${red}`, `tags ${blue}`])
    })

    it('returns linkage of a to-many only when it is included', async () => {
      const bare = await client.get('/shelves/1')
      expect(bare.body.data.relationships.books).to.have.keys('links')
      const { body } = await client.get('/shelves/1?include=books')
      expect(linkage([body.data], 'books')).to.deep.equal([['2', '1']])
      expect(body.included[0].relationships.tags).to.have.keys('links')
    })

    it('loads each relation once when paths share a prefix', async () => {
      const statements = await statementsOf(async () => {
        const { body } = await client.get('/shelves/1?include=books.tags,books,label,books.tags')
        expect(included(body)).to.have.members(['books 1', 'books 2', 'labels 1', `tags ${red}`, `tags ${blue}`])
      })
      expect(statements).to.have.length(4)
    })

    it('does not include primary data again when a path leads back to it', async () => {
      const { body } = await client.get('/books?include=shelf.books')
      expect(included(body)).to.deep.equal(['shelves 1', 'shelves 2'])
      expect(linkage(body.included, 'books')).to.deep.equal([['2', '1'], ['3']])
    })

    it('includes through a many-to-many from both sides', async () => {
      const fromBook = await client.get('/books/1?include=tags')
      expect(linkage([fromBook.body.data], 'tags')).to.deep.equal([[red, blue]])
      const fromTag = await client.get(`/tags/${red}?include=books`)
      expect(linkage([fromTag.body.data], 'books')).to.deep.equal([['1', '3']])
    })

    it('INC-03 returns an empty included list when no related resource exists', async () => {
      const { body } = await client.get('/books/4?include=shelf,tags')
      expect(body.included).to.deep.equal([])
      expect(linkage([body.data], 'shelf')).to.deep.equal([null])
      expect(linkage([body.data], 'tags')).to.deep.equal([[]])
    })

    it('resolves paths from the related type on GET /{type}/{id}/{rel}', async () => {
      const { body } = await client.get('/labels/1/shelf?include=books')
      expect(body.data).to.include({ type: 'shelves', id: '1' })
      expect(included(body)).to.deep.equal(['books 2', 'books 1'])
      const many = await client.get('/shelves/2/books?include=shelf')
      expect(included(many.body)).to.deep.equal(['shelves 2'])
    })

    it('ignores blank entries and spaces, and a value that is not a text', async () => {
      const spaced = await client.get('/books/1?include=%20shelf%20,,')
      expect(included(spaced.body)).to.deep.equal(['shelves 1'])
      const list = await client.get('/books/1?include[]=shelf')
      expect(list.status).to.equal(200)
      expect(list.body).not.to.have.property('included')
    })

    it('INC-06 returns one 400 INCLUSION_UNRECOGNIZED that names all unknown paths and the accepted ones', async () => {
      const answer = await client.get('/books?include=nope,shelf,shelf.nope,title,shelf.secret')
      expectIncludeError(answer, 'INCLUSION_UNRECOGNIZED')
      expect(answer.body.errors[0].detail).to.equal(
        'Cannot include nope, shelf.nope, title, shelf.secret: there is no such relationship. ' +
          'Accepted: shelf, tags, shelf.books, shelf.label.',
      )
    })

    it('suggests the nearest relationship when a path has a typo', async () => {
      const { body } = await client.get('/books?include=shelv')
      expect(body.errors[0].detail).to.include("Accepted: shelf, tags. Did you mean 'shelf'?")
      const nested = await client.get('/books?include=shelf.bokos')
      expect(nested.body.errors[0].detail).to.include("Did you mean 'shelf.books'?")
    })

    it('returns 400 INCLUSION_UNRECOGNIZED for hidden relations, names of Object.prototype and empty names', async () => {
      for (const path of ['hiddenShelf', 'constructor', '__proto__', 'shelf.', '.shelf', 'shelf..books']) {
        expectIncludeError(await client.get(`/books?include=${path}`), 'INCLUSION_UNRECOGNIZED')
      }
    })

    it('returns 400 INCLUSION_UNSUPPORTED on relationship URLs and for DELETE', async () => {
      expectIncludeError(await client.get('/books/1/relationships/tags?include=tags'), 'INCLUSION_UNSUPPORTED')
      expectIncludeError(await client.get('/books/1/relationships/shelf?include='), 'INCLUSION_UNSUPPORTED')
      expectIncludeError(await client.delete('/books/1?include=shelf'), 'INCLUSION_UNSUPPORTED')
      const linkageOfShelf = { data: { type: 'shelves', id: '2' } }
      expectIncludeError(
        await client.patch('/books/1/relationships/shelf?include=shelf', linkageOfShelf),
        'INCLUSION_UNSUPPORTED',
      )
    })

    it('returns 400 for an unknown path without an SQL statement', async () => {
      const statements = await statementsOf(async () => {
        expect((await client.get('/books/999?include=nope')).status).to.equal(400)
        const book = { data: { type: 'books', attributes: { title: 'Walden' } } }
        expect((await client.post('/books?include=nope', book)).status).to.equal(400)
      })
      expect(statements).to.deep.equal([])
    })

    it('INC-09 returns included in the response to PATCH', async () => {
      const patch = { data: { type: 'books', id: '4', attributes: { title: 'Faust' } } }
      const { status, body } = await client.patch('/books/4?include=shelf', patch)
      expect(status).to.equal(200)
      expect(body.included).to.deep.equal([])
    })
  })

  describe('of a relation with cannotBeIncluded()', () => {
    it('returns 400 INCLUSION_NOT_ALLOWED anywhere in a path, and keeps its linkage and endpoints', async () => {
      client = await start()
      const answer = await client.get('/shelves?include=sealedBooks,books,label.sealedShelf')
      expectIncludeError(answer, 'INCLUSION_NOT_ALLOWED')
      expect(answer.body.errors[0].detail).to.include('sealedBooks, label.sealedShelf')
      expect(answer.body.errors[0].detail).to.include('Accepted: books, label, label.shelf.')
      const { body } = await client.get('/labels/1')
      expect(body.data.relationships.sealedShelf.data).to.deep.equal({ type: 'shelves', id: '1' })
      expect((await client.get('/shelves/1/sealedBooks')).body.data).to.have.length(2)
    })

    it('returns 400 or 200 by the function, called with a null record', async () => {
      client = await start()
      expectIncludeError(await client.get('/shelves?include=nightBooks'), 'INCLUSION_NOT_ALLOWED')
      const { status } = await client.get('/shelves?include=nightBooks', { 'x-night': 'yes' })
      expect(status).to.equal(200)
    })

    it('is skipped in default includes', async () => {
      client = await start({ shelves: { defaultIncludes: ['sealedBooks', 'label'] } })
      const { body } = await client.get('/shelves')
      expect(included(body)).to.deep.equal(['labels 1'])
    })
  })

  describe('with defaultIncludes', () => {
    it('INC-01 returns the default includes when the request has no include', async () => {
      client = await start({ books: { defaultIncludes: ['shelf', 'tags'] } })
      const { body } = await client.get('/books')
      expect(included(body)).to.deep.equal(['shelves 1', 'shelves 2', `tags ${red}`, `tags ${blue}`])
      expect(linkage(body.data, 'tags')).to.deep.equal([[red, blue], [], [red], []])
    })

    it('INC-04 omits the default includes when the request has an include', async () => {
      client = await start({ books: { defaultIncludes: ['shelf'] } })
      expect(included((await client.get('/books?include=tags')).body)).to.deep.equal([`tags ${red}`, `tags ${blue}`])
      const none = await client.get('/books?include=')
      expect(none.body.included).to.deep.equal([])
    })

    it('omits included when no related resource exists', async () => {
      client = await start({ books: { defaultIncludes: ['shelf'] } })
      expect((await client.get('/books/4')).body).not.to.have.property('included')
    })

    it('applies the defaults of the related type on GET /{type}/{id}/{rel}, and of the type on PATCH', async () => {
      client = await start({ books: { defaultIncludes: ['shelf'] } })
      expect(included((await client.get('/shelves/2/books')).body)).to.deep.equal(['shelves 2'])
      const patch = { data: { type: 'books', id: '3', attributes: { title: 'Howl' } } }
      expect(included((await client.patch('/books/3', patch)).body)).to.deep.equal(['shelves 2'])
    })

    it('omits included on GET /{type}/{id}/relationships/{rel}', async () => {
      client = await start({ books: { defaultIncludes: ['shelf'] } })
      expect((await client.get('/shelves/2/relationships/books')).body).not.to.have.property('included')
    })

    it('also includes the defaults of the included types', async () => {
      client = await start({
        labels: { defaultIncludes: ['shelf'] },
        shelves: { defaultIncludes: ['books'] },
        books: { defaultIncludes: ['tags'] },
      })
      const { body } = await client.get('/labels/1')
      expect(included(body)).to.deep.equal(['shelves 1', 'books 2', 'books 1', `tags ${red}`, `tags ${blue}`])
    })

    it('ends a circular cascade when the depth is unlimited', async () => {
      client = await start(
        { books: { defaultIncludes: ['shelf'] }, shelves: { defaultIncludes: ['books'] } },
        { servers: { default: { maxIncludeDepth: 0 } } },
      )
      const statements = await statementsOf(async () => {
        const { body } = await client.get('/books/1')
        expect(included(body)).to.deep.equal(['shelves 1', 'books 2'])
      })
      expect(statements).to.have.length(2)
    })

    it('ends the cascade at maxIncludeDepth of the type, and keeps the linkage there', async () => {
      client = await start({
        labels: { defaultIncludes: ['shelf'], maxIncludeDepth: 2 },
        shelves: { defaultIncludes: ['books'] },
        books: { defaultIncludes: ['tags', 'shelf'] },
      })
      const { status, body } = await client.get('/labels/1')
      expect(status).to.equal(200)
      expect(included(body)).to.deep.equal(['shelves 1', 'books 2', 'books 1'])
      expect(linkage(body.included.slice(1), 'shelf')).to.deep.equal(['1', '1'])
    })

    it('includes by a function of each record', async () => {
      client = await start({ books: { defaultIncludes: ({ position }) => (position > 2 ? ['shelf'] : ['tags']) } })
      const { body } = await client.get('/books?fields[books]=title,shelf,tags')
      expect(included(body)).to.have.members(['shelves 2', `tags ${red}`, `tags ${blue}`])
      const [first, second, third, fourth] = body.data
      expect(linkage([first, second, fourth], 'tags')).to.deep.equal([[red, blue], [], []])
      expect(third.relationships.tags).not.to.have.property('data')
    })

    it('passes the function whole rows when another plugin limits the columns', async () => {
      const frugal: Plugin = { name: 'frugal', onQuery: (_request, query) => addNeeds(query, query.type, ['title']) }
      const overrides: Overrides = { books: { defaultIncludes: ({ position }) => (position > 2 ? ['shelf'] : []) } }
      client = await start(overrides, { plugins: [...plugins, frugal] })
      const one = await client.get('/books/3?fields[books]=title')
      expect(included(one.body)).to.deep.equal(['shelves 2'])
    })

    it('includes by a function of each included record in a cascade', async () => {
      client = await start({
        shelves: { defaultIncludes: ['books'] },
        books: { defaultIncludes: ({ title }) => (title === 'Ulysses' ? ['tags'] : []) },
      })
      const { body } = await client.get('/shelves')
      expect(included(body)).to.have.members(['books 1', 'books 2', 'books 3', `tags ${red}`, `tags ${blue}`])
    })

    it('fails at boot when a default include is not a relation', async () => {
      const resources = declare({ books: { defaultIncludes: ['shelf', 'title', 'nope'] } })
      const failure = await buildApp({ resources, database: await libraryDatabase() }).catch((error) => error)
      expect(failure).to.be.instanceOf(BootError)
      expect(failure.message).to.include("The default include 'title' is not a relation").and.include("'nope'")
    })
  })

  describe('with limits', () => {
    it('returns 400 INCLUSION_DEPTH_EXCEEDED with the maximum when a path is deeper than the server allows', async () => {
      client = await start({}, { servers: { default: { maxIncludeDepth: 2 } } })
      const answer = await client.get('/labels?include=shelf.books,shelf.books.tags')
      expectIncludeError(answer, 'INCLUSION_DEPTH_EXCEEDED')
      expect(answer.body.errors[0].detail).to.include('at most 2').and.include('shelf.books.tags')
      expect((await client.get('/labels?include=shelf.books')).status).to.equal(200)
    })

    it('applies maxIncludeDepth of the type before that of the server, whether larger or smaller', async () => {
      const servers = { default: { maxIncludeDepth: 2 } }
      client = await start({ labels: { maxIncludeDepth: 3 }, tags: { maxIncludeDepth: 1 } }, { servers })
      expect((await client.get('/labels?include=shelf.books.tags')).status).to.equal(200)
      expectIncludeError(await client.get('/tags?include=books.shelf'), 'INCLUSION_DEPTH_EXCEEDED')
      expectIncludeError(await client.get('/shelves?include=books.tags.books'), 'INCLUSION_DEPTH_EXCEEDED')
    })

    it('accepts paths of any depth when the maximum is 0 or less', async () => {
      const path = Array.from({ length: 12 }, (_, hop) => (hop % 2 ? 'books' : 'shelf')).join('.')
      client = await start({}, { servers: { default: {} } })
      expect((await client.get(`/books?include=${path}`)).status).to.equal(200)
      client = await start({ books: { maxIncludeDepth: -1 } }, { servers: { default: { maxIncludeDepth: 1 } } })
      expect((await client.get(`/books?include=${path}`)).status).to.equal(200)
    })

    it('counts the depth from the related type on GET /{type}/{id}/{rel}', async () => {
      client = await start({}, { servers: { default: { maxIncludeDepth: 1 } } })
      expect((await client.get('/labels/1/shelf?include=books')).status).to.equal(200)
      expectIncludeError(await client.get('/labels/1/shelf?include=books.tags'), 'INCLUSION_DEPTH_EXCEEDED')
    })

    it('returns 400 INCLUSION_NOT_ALLOWED for a path outside allowedIncludePaths, and 200 for prefixes of it', async () => {
      client = await start({ labels: { allowedIncludePaths: ['shelf.books'] } })
      expect((await client.get('/labels?include=shelf')).status).to.equal(200)
      expect((await client.get('/labels?include=shelf.books')).status).to.equal(200)
      const answer = await client.get('/labels?include=shelf.label,shelf.books.tags,sealedShelf')
      expectIncludeError(answer, 'INCLUSION_NOT_ALLOWED')
    })

    it('accepts only an empty include when allowedIncludePaths is empty', async () => {
      client = await start({ labels: { allowedIncludePaths: [] } })
      expectIncludeError(await client.get('/labels?include=shelf'), 'INCLUSION_NOT_ALLOWED')
      expect((await client.get('/labels?include=')).status).to.equal(200)
      expect((await client.get('/books?include=shelf.label')).status).to.equal(200)
    })

    it('accepts every path when allowedIncludePaths is null', async () => {
      client = await start({ labels: { allowedIncludePaths: null } })
      expect((await client.get('/labels?include=shelf.books.tags')).status).to.equal(200)
    })

    it('returns one error per reason when paths are rejected for different reasons', async () => {
      client = await start({ shelves: { maxIncludeDepth: 1 } })
      const { status, body } = await client.get('/shelves?include=nope,sealedBooks,books.tags,nix')
      expect(status).to.equal(400)
      expect(body.errors.map(({ code }: { code: string }) => code)).to.have.members([
        'INCLUSION_UNRECOGNIZED',
        'INCLUSION_NOT_ALLOWED',
        'INCLUSION_DEPTH_EXCEEDED',
      ])
    })
  })

  describe('on a server without the related type', () => {
    const servers = { default: {}, admin: { prefix: '/admin' } }

    it('returns 400 INCLUSION_NOT_ALLOWED for a path through the relation', async () => {
      client = await start({ shelves: { server: ['default', 'admin'] } }, { servers })
      expectIncludeError(await client.get('/admin/shelves?include=books'), 'INCLUSION_NOT_ALLOWED')
      expectIncludeError(await client.get('/admin/shelves?include=books.shelf'), 'INCLUSION_NOT_ALLOWED')
      expect((await client.get('/shelves?include=books')).status).to.equal(200)
    })

    it('skips the relation in default includes', async () => {
      const overrides: Overrides = { shelves: { server: ['default', 'admin'], defaultIncludes: ['books'] } }
      client = await start(overrides, { servers })
      const { status, body } = await client.get('/admin/shelves/1')
      expect(status).to.equal(200)
      expect(body).not.to.have.property('included')
      expect(body.data.relationships.books).not.to.have.property('data')
      expect(included((await client.get('/shelves/1')).body)).to.deep.equal(['books 2', 'books 1'])
    })
  })

  it('returns 400 QUERY_PARAM_UNRECOGNIZED, and includes nothing by default, when the plugin is disabled', async () => {
    client = await start({ books: { defaultIncludes: ['shelf'] } }, { disabled: ['includes'] })
    const refused = await client.get('/books?include=shelf')
    expectIncludeError(refused, 'QUERY_PARAM_UNRECOGNIZED')
    expect((await client.get('/books')).body).not.to.have.property('included')
  })
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

interface Overrides {
  readonly books?: Partial<ResourceDeclaration<Book>>
  readonly shelves?: Partial<ResourceDeclaration<Shelf>>
  readonly tags?: Partial<ResourceDeclaration<Tag>>
  readonly labels?: Partial<ResourceDeclaration<Label>>
}

/** Declares the library with additional declarations per type. */
function declare(overrides: Overrides): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, integer, belongsTo, belongsToMany }) => [
      id(),
      string('title'),
      integer('position'),
      belongsTo('shelf', 'shelves'),
      belongsTo('hiddenShelf', 'shelves').storedAs('shelf').hidden(),
      belongsToMany('tags', 'tags'),
    ],
    ...overrides.books,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany, hasOne }) => [
      id(),
      string('name'),
      hasMany('books', 'books'),
      hasMany('sealedBooks', 'books').storedAs('books').cannotBeIncluded(),
      hasMany('nightBooks', 'books')
        .storedAs('books')
        .cannotBeIncluded((record, { header }) => record === null && header('x-night') !== 'yes'),
      hasOne('label', 'labels'),
    ],
    ...overrides.shelves,
  })
  const tags = defineResource(Tag, {
    type: 'tags',
    fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books')],
    ...overrides.tags,
  })
  const labels = defineResource(Label, {
    type: 'labels',
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('text'),
      belongsTo('shelf', 'shelves'),
      belongsTo('sealedShelf', 'shelves').storedAs('shelf').cannotBeIncluded(),
    ],
    ...overrides.labels,
  })
  return [books, shelves, tags, labels].map((resource) => ({ file: 'plugins/includes/includes.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'Fiction' },
    { id: 2, name: 'Poetry' },
    { id: 3, name: 'Empty' },
  ])
  await em.insertMany(Book, [
    { id: 1, title: 'Ulysses', position: 1, shelf: 1 },
    { id: 2, title: 'Emma', position: 2, shelf: 1 },
    { id: 3, title: 'Howl', position: 3, shelf: 2 },
    { id: 4, title: 'Faust', position: 1, shelf: null },
  ])
  await em.insertMany(Tag, [
    { id: red, name: 'red' },
    { id: blue, name: 'blue' },
  ])
  await em.insertMany(Label, [{ id: 1, text: 'A to K', shelf: 1 }])
  await em.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (1, '${blue}'), (3, '${red}')`)
}

interface Resource {
  readonly type: string
  readonly id: string
  readonly relationships: Record<
    string,
    { readonly data?: { readonly id: string } | readonly { readonly id: string }[] | null }
  >
}

function included(body: { readonly included: readonly Resource[] }): string[] {
  return body.included.map(({ type, id }) => `${type} ${id}`)
}

/** Returns the linkage ids of a relationship for each resource. */
function linkage(resources: readonly Resource[], name: string): unknown[] {
  return resources.map(({ relationships }) => {
    const data = relationships[name]?.data
    return Array.isArray(data) ? data.map(({ id }) => id) : data && (data as { readonly id: string }).id
  })
}

function expectIncludeError({ status, body }: ClientResponse, code: string): void {
  expect(status).to.equal(400)
  expect(body.errors).to.have.length(1)
  expect(body.errors[0]).to.deep.include({ status: '400', code, source: { parameter: 'include' } })
}
