import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp, type TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Policy, type RelationSecurity } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

describe('abilities of a resource', () => {
  let library: TestApp
  let client: Client
  const start = async (overrides: Partial<ResourceDeclaration<Book>>) => {
    library = await startLibrary({ resources: declare(overrides), plugins })
    client = library.client
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('returns 401 or 403 by the policy method that abilities names for read, delete and create', async () => {
    await start({
      policy: BookPolicy,
      abilities: { read: 'isAda', delete: 'isAda', create: 'addAda' },
    })
    for (const path of ['/books/1', '/books/1/shelf', '/books/1/relationships/shelf']) {
      expect((await client.get(path)).status, path).to.equal(401)
      expect((await client.get(path, bob)).status, path).to.equal(403)
      expect((await client.get(path, ada)).status, path).to.equal(200)
    }
    expect((await client.delete('/books/1', undefined, bob)).status).to.equal(403)
    expect((await client.delete('/books/1', undefined, ada)).status).to.equal(204)
    const created = { data: { type: 'books', attributes: { title: 'Howl' } } }
    expect((await client.post('/books', created, bob)).status).to.equal(403)
    expect((await client.post('/books', created, ada)).status).to.equal(201)
  })

  it('returns 403 for GET /{type} when the method named for list denies the principal', async () => {
    await start({ policy: BookPolicy, abilities: { list: 'listAda' } })
    expect((await client.get('/books')).status).to.equal(401)
    expect((await client.get('/books', bob)).status).to.equal(403)
    expect((await client.get('/books', ada)).status).to.equal(200)
  })

  for (const unchecked of [false, true]) {
    it(`skips the policy methods, but not the scope, when abilities are ${unchecked}`, async () => {
      await start({ policy: ClosedPolicy, abilities: { list: unchecked, read: unchecked, update: unchecked } })
      expect((await client.get('/books')).body.data.map(({ id }: Resource) => id)).to.deep.equal(['1', '2'])
      expect((await client.get('/books/1')).status).to.equal(200)
      expect((await client.get('/books/3')).status).to.equal(404)
      expect((await client.get('/shelves/1?include=books')).body.included).to.have.length(2)
      const change = { data: { type: 'books', id: '1', attributes: { title: 'Emma' } } }
      expect((await client.patch('/books/1', change)).status).to.equal(200)
      expect((await client.delete('/books/1')).status).to.equal(401)
    })
  }

  it('returns 200 without a policy when abilities are false', async () => {
    await start({ abilities: { list: false, read: false } })
    expect((await client.get('/books/1')).status).to.equal(200)
  })
})

describe('Functions of fields and filters that receive the request', () => {
  let library: TestApp
  before(async () => {
    await fillLibrary()
    library = await startLibrary({
      plugins,
      resources: declare({
        fields: ({ id, string, belongsTo }) => [
          id(),
          string('title')
            .hiddenFor(({ principal }) => principal === null)
            .readOnly((request) => request?.principal?.identifier !== 'ada'),
          belongsTo('shelf', 'shelves').cannotReplace((_, request) => request?.principal?.identifier !== 'ada'),
        ],
        filters: ({ where }) => [where('title').availableWhen(({ principal }) => principal !== null)],
      }),
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('decide by request.principal: hiddenFor, readOnly, cannotReplace and availableWhen', async () => {
    const { client } = library
    expect((await client.get('/books/1')).body.data).not.to.have.property('attributes')
    expect((await client.get('/books/1', bob)).body.data.attributes).to.deep.equal({ title: 'Ulysses' })
    expect((await client.get('/books?filter[title]=Emma')).status).to.equal(400)
    expect((await client.get('/books?filter[title]=Emma', bob)).body.data).to.have.length(1)
    const change = { data: { type: 'books', id: '1', attributes: { title: 'Howl' } } }
    expect((await client.patch('/books/1', change, bob)).body.data.attributes.title).to.equal('Ulysses')
    expect((await client.patch('/books/1', change, ada)).body.data.attributes.title).to.equal('Howl')
    const linkage = { data: { type: 'shelves', id: '2' } }
    expect((await client.patch('/books/1/relationships/shelf', linkage, bob)).status).to.equal(403)
    expect((await client.patch('/books/1/relationships/shelf', linkage, ada)).status).to.equal(200)
  })
})

describe('security() of a relation', () => {
  let library: TestApp
  let client: Client
  const start = async (security: RelationSecurity) => {
    library = await startLibrary({ resources: declare({ policy: BookPolicy, ...secured(security) }), plugins })
    client = library.client
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  describe('with a read ability', () => {
    beforeEach(() => start({ read: 'isAdaOrEmma' }))

    it('returns 401 or 403 for related and relationship URLs when the ability denies the parent', async () => {
      for (const path of ['/books/1/shelf', '/books/1/relationships/shelf']) {
        expect((await client.get(path)).status, path).to.equal(401)
        expect((await client.get(path, bob)).status, path).to.equal(403)
        expect((await client.get(path, ada)).status, path).to.equal(200)
      }
      expect((await client.get('/books/2/relationships/shelf', bob)).status).to.equal(200)
      expect((await client.get('/books/1', bob)).status).to.equal(200)
    })

    it('omits linkage for each parent the ability denies, and keeps the links', async () => {
      const { body } = await client.get('/books', bob)
      const shelves = body.data.map(({ relationships }: Resource) => relationships.shelf)
      expect(shelves.map(({ data }: Resource) => data)).to.deep.equal([
        undefined,
        { type: 'shelves', id: '1' },
        undefined,
      ])
      for (const { links } of shelves) expect(links).to.have.keys('self', 'related')
      const own = await client.get('/books/1', ada)
      expect(own.body.data.relationships.shelf.data).to.deep.equal({ type: 'shelves', id: '1' })
    })

    it('returns 200 without included resources for a parent the ability denies', async () => {
      const { status, body } = await client.get('/books/1?include=shelf', bob)
      expect(status).to.equal(200)
      expect(body.included).to.deep.equal([])
      expect(body.data.relationships.shelf).not.to.have.property('data')
      const mixed = await client.get('/books?include=shelf', bob)
      expect(mixed.body.included.map(({ id }: Resource) => id)).to.deep.equal(['1'])
      const deep = await client.get('/shelves/1?include=books.shelf', bob)
      const shown = deep.body.included.map(({ id, relationships }: Resource) => [id, 'data' in relationships.shelf])
      expect(shown).to.have.deep.members([
        ['1', false],
        ['2', true],
      ])
    })

    it('shows other relations of a parent that the ability denies', async () => {
      await library.close()
      const fields: ResourceDeclaration<Book>['fields'] = ({ id, string, belongsTo }) => [
        id(),
        string('title').required(),
        belongsTo('shelf', 'shelves').security({ read: 'isAda' }),
        belongsTo('place', 'shelves').storedAs('shelf'),
      ]
      library = await startLibrary({ resources: declare({ policy: BookPolicy, fields }), plugins })
      const { body } = await library.client.get('/books/1?include=place', bob)
      expect(body.data.relationships.shelf).not.to.have.property('data')
      expect(body.data.relationships.place.data).to.deep.equal({ type: 'shelves', id: '1' })
      expect(body.included).to.have.length(1)
    })

    it('omits linkage in the response to POST /{type} when the ability denies the new row', async () => {
      const attributes = { title: 'Howl' }
      const relationships = { shelf: { data: { type: 'shelves', id: '1' } } }
      const { status, body } = await client.post('/books', { data: { type: 'books', attributes, relationships } }, bob)
      expect(status).to.equal(201)
      expect(body.data.relationships.shelf).not.to.have.property('data')
    })

    it('returns 204 for PATCH /{type}/{id}/relationships/{rel} when the caller may not read the relation', async () => {
      const { status, text } = await client.patch('/books/1/relationships/shelf', { data: null }, bob)
      expect([status, text]).to.deep.equal([204, ''])
      expect((await client.get('/books/1/relationships/shelf', ada)).body.data).to.equal(null)
      expect((await client.patch('/books/2/relationships/shelf', { data: null }, bob)).status).to.equal(200)
    })

    it('loads the columns the ability needs with any fieldset, in the same statement', async () => {
      const statements = await statementsOf(async () => {
        const { body } = await client.get('/books?fields[books]=shelf', bob)
        expect(body.data.map(({ relationships }: Resource) => 'data' in relationships.shelf)).to.deep.equal([
          false,
          true,
          false,
        ])
      })
      expect(statements).to.have.length(1)
    })
  })

  it('returns 401 or 403 for a relationship write when the mutate ability denies, whatever update returns', async () => {
    await start({ mutate: 'isAda' })
    const change = (headers: Record<string, string>) =>
      client.patch('/books/1/relationships/shelf', { data: null }, headers)
    expect((await change({})).status).to.equal(401)
    expect((await change(bob)).status).to.equal(403)
    expect((await change(ada)).status).to.equal(200)
    expect((await client.get('/books/1/relationships/shelf', bob)).status).to.equal(200)
  })

  it('returns 401 or 403 for PATCH /{type}/{id} when it changes a relation whose mutate ability denies', async () => {
    await start({ mutate: 'isAda' })
    const change = (relationships: object, headers: Record<string, string>) =>
      client.patch(
        '/books/1',
        { data: { type: 'books', id: '1', attributes: { title: 'Howl' }, relationships } },
        headers,
      )
    const empty = { shelf: { data: null } }
    expect((await change(empty, {})).status).to.equal(401)
    expect((await change(empty, bob)).status).to.equal(403)
    expect((await client.get('/books/1', bob)).body.data.attributes.title).to.equal('Ulysses')
    expect((await change({}, bob)).status).to.equal(200)
    const { status, body } = await change(empty, ada)
    expect([status, body.data.relationships.shelf.data]).to.deep.equal([200, null])
  })

  it('returns 401 or 403 for POST, PATCH and DELETE of members when the mutate ability denies', async () => {
    library = await startLibrary({ resources: declare({}, { read: 'isAda', mutate: 'isAdaOrBob' }), plugins })
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const change = (headers: Record<string, string>) =>
        library.client.send(method, '/shelves/1/relationships/books', {
          body: { data: [{ type: 'books', id: '3' }] },
          headers,
        })
      expect((await change({})).status, method).to.equal(401)
      expect((await change(as('eve'))).status, method).to.equal(403)
      expect((await change(bob)).status, method).to.equal(204)
      expect((await change(ada)).status, method).to.equal(200)
    }
  })

  it('returns 204 for a relationship write when view denies the parent', async () => {
    library = await startLibrary({ resources: declare({ policy: BlindPolicy }), plugins })
    expect((await library.client.patch('/books/1/relationships/shelf', { data: null })).status).to.equal(204)
    const operation = { kind: 'UpdateRelationship', type: 'books', id: '2', relation: 'shelf', data: null } as const
    const response = await library.app.dispatch({ ...operation, principal: { identifier: 'bob', roles: [] } })
    expect(response).to.deep.include({ kind: 'none', status: 204 })
  })
})

describe('PATCH /{type}/{id} with relationships', () => {
  beforeEach(fillLibrary)
  after(emptyLibrary)

  const data = { type: 'books', id: '1', relationships: { shelf: { data: null } } }
  const statusOf = async (fields: Pick<ResourceDeclaration<Book>, 'fields'>) => {
    const library = await startLibrary({ resources: declare({ policy: BookPolicy, ...fields }), plugins })
    const { status } = await library.client.patch('/books/1', { data }, bob)
    await library.close()
    return status
  }

  it('returns 200 when a relation has no ability of its own', async () => {
    expect(await statusOf(secured({}))).to.equal(200)
    expect(await statusOf(secured({ read: 'isAda' }))).to.equal(200)
  })

  it('returns 403 when the mutate ability denies, unless the relation is read-only and therefore ignored', async () => {
    expect(await statusOf(secured({ mutate: 'isAda' }))).to.equal(403)
    const readOnly: Pick<ResourceDeclaration<Book>, 'fields'> = {
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title'),
        belongsTo('shelf', 'shelves').readOnly().security({ mutate: 'isAda' }),
      ],
    }
    expect(await statusOf(readOnly)).to.equal(200)
  })
})

describe('Boot with an ability that has no policy method', () => {
  const faultsOf = async (overrides: Partial<ResourceDeclaration<Book>>) => {
    const failure = await buildApp({ resources: declare(overrides), database: await libraryDatabase(), plugins }).catch(
      (error) => error,
    )
    expect(failure).to.be.instanceOf(BootError)
    return failure.message.split('\n')
  }

  it('fails when abilities names a method that does not exist', async () => {
    expect(await faultsOf({ policy: BookPolicy, abilities: { read: 'isEva' } })).to.deep.equal([
      "books.policy (books.ts): BookPolicy has no method 'isEva' for FetchOne.",
    ])
    expect(await faultsOf({ abilities: { read: 'isAda', list: false } })).to.deep.equal([
      "books.abilities (books.ts): 'read' requires the method 'isAda', but the type has no policy.",
    ])
    const unexposed = { operations: ['FetchCollection'], policy: BookPolicy, abilities: { delete: 'isEva' } } as const
    expect(await faultsOf(unexposed)).to.deep.equal([
      "books.abilities (books.ts): 'delete' requires the method 'isEva', but BookPolicy has no such method.",
    ])
  })

  it('accepts a method that exists, for an operation that is not exposed', async () => {
    const overrides = { operations: ['FetchCollection'], policy: BookPolicy, abilities: { delete: 'isAda' } } as const
    const { close } = await startLibrary({ resources: declare(overrides), plugins })
    await close()
  })

  it('fails when security() names a method that does not exist', async () => {
    expect(await faultsOf({ policy: BookPolicy, ...secured({ read: 'isEva', mutate: 'isAda' }) })).to.deep.equal([
      "books.shelf (books.ts): security() requires the method 'isEva', but BookPolicy has no such method.",
    ])
    expect(await faultsOf(secured({ read: 'isAda' }))).to.deep.equal([
      "books.shelf (books.ts): security() requires the method 'isAda', but the type has no policy.",
    ])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: tests read members of documents without types
type Resource = any

const plugins = pluginsWithTokens('ada', 'bob', 'eve')
const ada = as('ada')
const bob = as('bob')

function isAda(principal: Principal | null): boolean {
  return principal?.identifier === 'ada'
}

class BookPolicy extends OpenPolicy {
  static override readonly needs = { view: [], isAda: [], isAdaOrEmma: ['title'] }
  listAda = isAda
  addAda = isAda
  isAda(principal: Principal | null) {
    return isAda(principal)
  }
  isAdaOrEmma(principal: Principal | null, { title }: Pick<Book, 'title'>) {
    return isAda(principal) || title === 'Emma'
  }
}

class ClosedPolicy extends Policy<Book> {
  static override readonly needs = { view: [] }
  override scope = () => ({ title: { $in: ['Ulysses', 'Emma'] } })
  override viewAny = () => false
  override view = () => false
  override create = () => false
  override update = () => false
  override delete = () => false
}

/** Allows every caller to change rows, and none to view them. */
class BlindPolicy extends BookPolicy {
  override view = () => false
}

function secured(security: RelationSecurity): Pick<ResourceDeclaration<Book>, 'fields'> {
  return {
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('title').required(),
      belongsTo('shelf', 'shelves').security(security),
    ],
  }
}

class ShelfPolicy extends Policy<Shelf> {
  static override readonly needs = { view: [], isAda: [], isAdaOrBob: [] }
  override viewAny = () => true
  override view = () => false
  override create = () => false
  override update = () => false
  override delete = () => false

  isAda = isAda
  isAdaOrBob(principal: Principal | null) {
    return isAda(principal) || principal?.identifier === 'bob'
  }
}

function declare(
  overrides: Partial<ResourceDeclaration<Book>>,
  ofShelves?: RelationSecurity,
): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').required(), belongsTo('shelf', 'shelves')],
    ...overrides,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [
      id(),
      string('name').required(),
      ofShelves ? hasMany('books', 'books').security(ofShelves) : hasMany('books', 'books'),
    ],
    ...(ofShelves && { policy: ShelfPolicy }),
  })
  return [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const connection = orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction'), ('Poetry')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Faust', null)")
}
