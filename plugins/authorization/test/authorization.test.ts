import { expect } from 'chai'
import { type ApiResponse, type Context, defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Loan } from '#test/template/support/library/loans.ts'
import { type Ability, Policy, type PolicyClass, type PolicyInput, type PolicyRow } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

describe('authorization', () => {
  let client: Client
  let app: TestApp['app']
  const started: TestApp[] = []
  const start = async (policy: PolicyClass<Book> | null, options: TestAppOptions = {}) => {
    const library = await startLibrary({ resources: declare(policy), plugins, ...options })
    started.push(library)
    app = library.app
    client = library.client
    // Without the calls for the OpenAPI document.
    abilityCalls.length = 0
    receivedRows.length = 0
  }

  beforeEach(async () => {
    denied = null
    await fillLibrary()
  })

  afterEach(async () => {
    for (const library of started.splice(0)) await library.close()
  })

  after(emptyLibrary)

  describe('abilities of a policy', () => {
    beforeEach(() => start(RecordingPolicy))

    const requests: readonly AuthorizedRequest[] = [
      ['GET /books', 'viewAny', 200, (headers) => client.get('/books', headers)],
      ['GET /books/1', 'view', 200, (headers) => client.get('/books/1', headers)],
      ['GET /books/1/shelf', 'view', 200, (headers) => client.get('/books/1/shelf', headers)],
      [
        'GET /books/1/relationships/shelf',
        'view',
        200,
        (headers) => client.get('/books/1/relationships/shelf', headers),
      ],
      ['POST /books', 'create', 201, (headers) => client.post('/books', bookNamed('Walden'), headers)],
      ['PATCH /books/1', 'update', 200, (headers) => client.patch('/books/1', bookNamed('Walden', '1'), headers)],
      [
        'PATCH /books/1/relationships/shelf',
        'update',
        200,
        (headers) => client.patch('/books/1/relationships/shelf', { data: null }, headers),
      ],
      ['DELETE /books/1', 'delete', 204, (headers) => client.delete('/books/1', undefined, headers)],
    ]

    for (const [request, ability, success, send] of requests) {
      it(`returns 401 without a principal and 403 with one for ${request} when ${ability} denies`, async () => {
        denied = ability
        const before = await tables()
        const anonymous = await send()
        expect(anonymous.status).to.equal(401)
        expect(anonymous.headers.get('www-authenticate')).to.equal('Bearer')
        expect(anonymous.body.errors).to.deep.equal([{ status: '401', title: 'Unauthorized', detail: '' }])
        const authenticated = await send(ada)
        expect(authenticated.status).to.equal(403)
        expect(authenticated.headers.get('www-authenticate')).to.equal(null)
        expect(authenticated.body.errors).to.deep.equal([{ status: '403', title: 'Forbidden', detail: '' }])
        expect(await tables()).to.deep.equal(before)
      })

      it(`returns ${success} for ${request} when ${ability} allows`, async () => {
        const { status } = await send(ada)
        expect(status).to.equal(success)
        expect(abilityCalls.filter((entry) => entry.ability === ability)).not.to.be.empty
        expect(abilityCalls.every((entry) => entry.principal === 'ada' && entry.server === 'default')).to.equal(true)
      })
    }

    it('receive the stored row, without the requested changes', async () => {
      await client.get('/books/2', ada)
      await client.patch('/books/2', bookNamed('Walden', '2'), ada)
      await client.delete('/books/2', undefined, ada)
      const subjects = abilityCalls
        .filter(({ ability }) => ability !== 'viewAny')
        .map(({ ability, title }) => [ability, title])
      expect(subjects).to.deep.equal([
        ['view', 'Emma'],
        ['update', 'Emma'],
        ['delete', 'Walden'],
      ])
    })

    it('put the denied operation and the policy into the error detail in debug mode', async () => {
      await start(RecordingPolicy, { config: { debug: true } })
      denied = 'delete'
      const { body } = await client.delete('/books/1', undefined, ada)
      expect(body.errors[0].detail).to.equal(
        "Delete is not allowed. RecordingPolicy.delete did not return true. The requester is 'ada' without roles.",
      )
    })

    it('run after the subject is loaded and the body parsed, but before the input is validated', async () => {
      denied = 'update'
      expect((await client.patch('/books/999', bookNamed('Walden', '999'))).status).to.equal(404)
      expect((await client.patch('/books/1', '{')).status).to.equal(400)
      expect(
        (await client.patch('/books/1', { data: { type: 'books', id: '1', attributes: { title: 5 } } })).status,
      ).to.equal(401)
      const wrongType = { data: { type: 'books', id: '1' } }
      expect((await client.patch('/books/1/relationships/shelf', wrongType)).status).to.equal(401)
      denied = 'create'
      expect((await client.post('/books', { data: { type: 'books' } }, ada)).status).to.equal(403)
    })

    it('run once for viewAny, and for every row of the response for view', async () => {
      await client.get('/books?include=shelf.books', ada)
      const abilities = abilityCalls.map(({ ability, title }) => [ability, title])
      const titles = ['Ulysses', 'Emma', 'Howl', 'Faust']
      expect(abilities.slice(0, 5)).to.deep.equal([['viewAny', undefined], ...titles.map((title) => ['view', title])])
      expect(new Set(abilities.slice(5).map(([ability]) => ability))).to.deep.equal(new Set(['view']))
    })

    it('are not called for a type without a policy', async () => {
      denied = 'view'
      expect((await client.get('/shelves/1')).status).to.equal(200)
      expect(
        (await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'New' } } })).status,
      ).to.equal(201)
      expect(abilityCalls).to.be.empty
    })
  })

  describe('before of a policy', () => {
    it('allows or denies, and leaves the decision to the ability when it returns undefined', async () => {
      await start(RolesPolicy)
      const statusOf = async (user: string) => (await client.delete('/books/999', undefined, as(user))).status
      expect(await statusOf('root')).to.equal(404)
      expect((await client.get('/books/1', as('root'))).status).to.equal(200)
      expect((await client.get('/books/1', as('guest'))).status).to.equal(403)
      expect((await client.get('/books/1', ada)).status).to.equal(200)
      expect((await client.delete('/books/1', undefined, ada)).status).to.equal(403)
      expect((await client.delete('/books/1', undefined, as('root'))).status).to.equal(204)
    })
  })

  describe('scope of a policy', () => {
    beforeEach(() => start(ShelfPolicy))

    it('limits GET /{type} to the rows visible to the principal', async () => {
      expect(readIds(await client.get('/books'))).to.deep.equal([])
      expect(readIds(await client.get('/books', ada))).to.deep.equal(['1', '2'])
      expect(readIds(await client.get('/books', as('bob')))).to.deep.equal(['3'])
      expect(readIds(await client.get('/books', as('root')))).to.deep.equal(['1', '2', '3', '4'])
    })

    it('returns 404 RESOURCE_NOT_FOUND for every operation on a row outside the scope', async () => {
      for (const id of ['3', '4']) {
        const answers = [
          await client.get(`/books/${id}`, ada),
          await client.get(`/books/${id}/shelf`, ada),
          await client.get(`/books/${id}/relationships/shelf`, ada),
          await client.patch(`/books/${id}`, bookNamed('Walden', id), ada),
          await client.patch(`/books/${id}/relationships/shelf`, { data: null }, ada),
          await client.delete(`/books/${id}`, undefined, ada),
        ]
        for (const { status, body } of answers) {
          expect(status).to.equal(404)
          expect(body.errors[0].code).to.equal('RESOURCE_NOT_FOUND')
        }
      }
    })

    it('omits rows outside the scope from related collections, linkage and includes', async () => {
      expect(readIds(await client.get('/shelves/2/books', ada))).to.deep.equal([])
      expect(readIds(await client.get('/shelves/2/relationships/books', ada))).to.deep.equal([])
      const { body } = await client.get('/shelves?include=books', ada)
      expect(body.included.map(({ id }: { id: string }) => id)).to.have.members(['1', '2'])
    })

    it('returns 403 and saves nothing when a create leaves the row outside the scope', async () => {
      const before = await tables()
      expect((await client.post('/books', bookNamed('Walden'), ada)).status).to.equal(403)
      expect((await client.post('/books', bookNamed('Walden'))).status).to.equal(401)
      expect(await tables()).to.deep.equal(before)
    })

    it('returns 403 and saves nothing when an update moves the row outside the scope', async () => {
      const before = await tables()
      const shelf = { data: { type: 'shelves', id: '2' } }
      const moved = { data: { type: 'books', id: '1', relationships: { shelf } } }
      expect((await client.patch('/books/1', moved, ada)).status).to.equal(403)
      expect((await client.patch('/books/2/relationships/shelf', shelf, ada)).status).to.equal(403)
      expect(await tables()).to.deep.equal(before)
    })
  })

  describe('when viewAny denies and view allows', () => {
    beforeEach(() => start(ClosedPolicy))

    it('returns 401 or 403 for GET /{type}', async () => {
      expect((await client.get('/books')).status).to.equal(401)
      expect((await client.get('/books', ada)).status).to.equal(403)
    })

    it('returns each row at its URL and through relations', async () => {
      expect((await client.get('/books/1', ada)).status).to.equal(200)
      expect((await client.patch('/books/1', bookNamed('Walden', '1'), ada)).status).to.equal(200)
      expect(readIds(await client.get('/shelves/1/books', ada))).to.have.members(['1', '2'])
      expect(readIds(await client.get('/shelves/1/relationships/books', ada))).to.have.members(['1', '2'])
      expect((await client.get('/shelves/1?include=books', ada)).body.included).to.have.length(2)
    })
  })

  describe('app.dispatch', () => {
    const list = (onBehalf: { principal?: Principal } = {}) =>
      app.dispatch({ kind: 'FetchCollection', type: 'books', ...onBehalf })
    const titlesIn = (response: ApiResponse) =>
      response.kind === 'data' && Array.isArray(response.data) ? response.data.map(({ record }) => record.title) : null

    it('returns all rows without calling the policy when no principal is passed', async () => {
      await start(ShelfPolicy)
      expect(titlesIn(await list())).to.deep.equal(['Ulysses', 'Emma', 'Howl', 'Faust'])
    })

    it('applies the policy to the principal that is passed, and throws 403 when it denies', async () => {
      await start(ShelfPolicy)
      expect(titlesIn(await list({ principal: { identifier: 'bob', roles: [] } }))).to.deep.equal(['Howl'])
      await start(ClosedPolicy)
      const failure = await list({ principal: { identifier: 'bob', roles: [] } }).catch((error) => error)
      expect(failure.status).to.equal(403)
    })
  })

  describe('the row passed to a policy method', () => {
    it('holds all columns, or only the columns that needs lists', async () => {
      await start(RecordingPolicy)
      const whole = await statementsOf(() => client.get('/books/1?fields[books]=title', ada))
      expect(whole[0]?.sql).to.match(/"pages"/)
      await start(FrugalPolicy)
      const frugal = await statementsOf(() => client.get('/books/1?fields[books]=title', ada))
      expect(frugal[0]?.sql)
        .to.match(/"position"/)
        .and.not.match(/"pages"/)
    })

    it('holds values of related rows, read by the statement that reads the row', async () => {
      await start(ShelfNamePolicy)
      const statements = await statementsOf(async () => {
        expect((await client.get('/books/1', ada)).status).to.equal(200)
      })
      expect(statements).to.have.length(1)
      expect((await client.get('/books/3', ada)).status).to.equal(403)
      expect((await client.get('/books/4', ada)).status).to.equal(403)
    })

    it('holds values of related rows, read by the statement that locks the row', async () => {
      await start(ShelfNamePolicy)
      const statements = await statementsOf(async () => {
        expect((await client.patch('/books/1', bookNamed('Walden', '1'), ada)).status).to.equal(200)
      })
      expect(statements.map(({ sql }) => sql.split(' ')[0])).to.deep.equal(['select', 'update'])
      expect((await client.patch('/books/3', bookNamed('Walden', '3'), ada)).status).to.equal(403)
    })

    it('holds the key of every to-one for a method without needs', async () => {
      await start(
        class extends OpenPolicy {
          static override readonly needs = { view: [], delete: [] }
          override update = (_: Principal | null, { shelf }: PolicyRow<Book>) => shelf?.id === 1
        },
      )
      expect((await client.patch('/books/1', bookNamed('Walden', '1'), ada)).status).to.equal(200)
      expect((await client.patch('/books/3', bookNamed('Walden', '3'), ada)).status).to.equal(403)
      expect((await client.patch('/books/4', bookNamed('Walden', '4'), ada)).status).to.equal(403)
    })

    it('holds a to-one that exists, also if the value that needs lists is null', async () => {
      await start(
        class extends OpenPolicy {
          static override readonly needs = { ...OpenPolicy.needs, update: ['shelf.removedAt'] }
          override update = (_: Principal | null, { shelf }: PolicyRow<Book>) => shelf !== null
        },
      )
      expect((await client.patch('/books/1', bookNamed('Walden', '1'), ada)).status).to.equal(200)
      expect((await client.patch('/books/4', bookNamed('Walden', '4'), ada)).status).to.equal(403)
    })

    it('holds a to-one of a to-one, also if the value that needs lists is null', async () => {
      class LoanPolicy extends OpenPolicy {
        static override readonly needs = { ...OpenPolicy.needs, update: ['book.shelf.removedAt'] }
        override update = (_: Principal | null, { book }: PolicyRow<Loan>) => {
          receivedRows.push(book && { hasShelf: book.shelf !== null })
          return true
        }
      }
      const loans = defineResource(Loan, {
        type: 'loans',
        fields: ({ id, string }) => [id(), string('reader')],
        policy: LoanPolicy,
      })
      const library = await startLibrary({ resources: [{ file: 'loans.ts', resource: loans }], plugins })
      started.push(library)
      const connection = (await libraryDatabase()).orm.em.getConnection()
      await connection.execute(`insert into loans (reader, book_id) values ('a', 1), ('b', 4), ('c', null)`)
      for (const id of ['1', '2', '3']) {
        const data = { type: 'loans', id, attributes: { reader: 'x' } }
        expect((await library.client.patch(`/loans/${id}`, { data }, ada)).status).to.equal(200)
      }
      expect(receivedRows).to.deep.equal([{ hasShelf: true }, { hasShelf: false }, null])
    })

    it('is undefined for a method whose needs are empty', async () => {
      await start(RowRecordingPolicy)
      expect((await client.patch('/books/2', bookNamed('Walden', '2'), ada)).status).to.equal(200)
      expect(receivedRows).to.deep.equal([undefined])
    })

    it('can be tested with `in`, awaited, converted to text and to JSON', async () => {
      const found: unknown[] = []
      await start(
        class extends OpenPolicy {
          static override readonly needs = { ...OpenPolicy.needs, update: ['title'] }
          override async update(_: Principal | null, row: object) {
            found.push('title' in row, 'then' in row, Symbol.iterator in row, JSON.stringify(await row), `${row}`)
            return true
          }
        },
      )
      expect((await client.patch('/books/2', bookNamed('Walden', '2'), ada)).status).to.equal(200)
      expect(found).to.deep.equal([true, false, false, '{"title":"Emma"}', '[object Object]'])
    })

    it('causes a 500 when the method tests a property outside needs with `in`', async () => {
      await start(
        class extends ForgetfulPolicy {
          override update = (_: Principal | null, row: object) => !('title' in row)
        },
      )
      expect((await client.patch('/books/2', bookNamed('Walden', '2'), ada)).status).to.equal(500)
    })

    it('causes a 500 without a change when the method reads a property outside needs', async () => {
      await start(ForgetfulPolicy)
      const before = await tables()
      expect((await client.patch('/books/2', bookNamed('Walden', '2'), ada)).status).to.equal(500)
      expect(await tables()).to.deep.equal(before)
    })
  })

  describe('boot', () => {
    const failureOf = async (resources: readonly DeclaredResource[], options: TestAppOptions = {}) => {
      const database = await libraryDatabase()
      const failure = await buildApp({ resources, database, plugins, ...options }).catch((error) => error)
      expect(failure).to.be.instanceOf(BootError)
      return failure.message as string
    }

    it('fails when the policy lacks methods of operations, and names all of them', async () => {
      const message = await failureOf(declare(HalfPolicy))
      expect(message).to.include("HalfPolicy has no method 'create' for Create")
      expect(message).to.include("HalfPolicy has no method 'delete' for Delete")
      expect(message).not.to.include("'view'")
    })

    it('succeeds when the policy lacks only methods of operations that are not exposed', async () => {
      const operations = ['FetchCollection', 'FetchOne', 'Update'] as const
      const built = await buildApp({
        resources: declare(HalfPolicy, { operations }),
        database: await libraryDatabase(),
        plugins,
      })
      await built.close()
    })

    it('fails when a policy is declared and the plugin is disabled', async () => {
      const message = await failureOf(declare(RecordingPolicy), { disabled: ['authorization'] })
      expect(message).to.include('books.policy').and.include("needs the plugin 'authorization', which is off")
    })

    it('succeeds without a policy when the plugin is disabled', async () => {
      await start(null, { disabled: ['authorization'] })
      expect((await client.get('/books')).status).to.equal(200)
    })
  })
})

type Headers = Record<string, string>

const plugins = pluginsWithTokens('ada', 'bob', 'root', 'guest')
const ada: Headers = as('ada')

type AuthorizedRequest = readonly [
  request: string,
  ability: Ability,
  success: number,
  send: (headers?: Headers) => Promise<ClientResponse>,
]

interface AbilityCall {
  readonly ability: Ability
  readonly principal: string | undefined
  readonly server: string
  readonly title: string | undefined
}

const abilityCalls: AbilityCall[] = []
let denied: Ability | null = null

function recordCall(
  ability: Ability,
  principal: Principal | null,
  context: Context,
  subject?: { readonly title: string },
): boolean {
  const name = principal?.identifier
  abilityCalls.push({ ability, principal: name, server: context.server.name, title: subject?.title })
  return denied !== ability
}

/** Records every ability call, and denies at most one ability. */
class RecordingPolicy extends Policy<Book> {
  override scope = () => true
  override viewAny = (principal: Principal | null, context: Context) => recordCall('viewAny', principal, context)
  override view = async (principal: Principal | null, book: PolicyRow<Book>, context: Context) =>
    recordCall('view', principal, context, book)
  override create = async (principal: Principal | null, _: PolicyInput, context: Context) =>
    recordCall('create', principal, context)
  override update = (principal: Principal | null, book: PolicyRow<Book>, context: Context) =>
    recordCall('update', principal, context, book)
  override delete = (principal: Principal | null, book: PolicyRow<Book>, context: Context) =>
    recordCall('delete', principal, context, book)
}

const receivedRows: unknown[] = []

class RowRecordingPolicy extends OpenPolicy {
  override update(_principal: Principal | null, row?: object) {
    receivedRows.push(row)
    return true
  }
}

/** Allows root everything, denies guests `view`, and leaves the rest to the abilities. */
class RolesPolicy extends OpenPolicy {
  override before(principal: Principal | null, ability: string) {
    const name = principal?.identifier
    if (name === 'root') return true
    return name === 'guest' && ability === 'view' ? false : undefined
  }
  override delete = () => false
}

/** Limits each caller to the books of one shelf; root sees all. */
class ShelfPolicy extends OpenPolicy {
  override scope(principal: Principal | null) {
    const name = principal?.identifier
    if (name === 'root') return true
    return { shelf: { name: name === 'ada' ? 'Fiction' : name === 'bob' ? 'Poetry' : 'None' } }
  }
}

/** Allows viewing and changing only books of the shelf Fiction. */
class ShelfNamePolicy extends OpenPolicy {
  static override readonly needs = { view: ['shelf.name'], update: ['shelf.name'], delete: [] }
  static override readonly rowsByView = true
  override view = (_: Principal | null, book: PolicyRow<Book>) => book.shelf?.name === 'Fiction'
  override update(_: Principal | null, book: PolicyRow<Book>) {
    return book.shelf?.name === 'Fiction'
  }
}

class ClosedPolicy extends OpenPolicy {
  override viewAny() {
    return false
  }
}

class FrugalPolicy extends OpenPolicy {
  static override readonly needs = { view: ['position'], update: [], delete: [] }
  override scope = () => true
}

/** Reads a property that its needs do not name. */
class ForgetfulPolicy extends OpenPolicy {
  static override readonly needs = { view: [], update: ['position'], delete: [] }
  override update(_: Principal | null, book: PolicyRow<Book>) {
    return book.title !== 'Secret'
  }
}

class HalfPolicy extends Policy<Book> {
  static override readonly needs = { view: [], update: [] }
  override viewAny = () => true
  override view = () => true
  override update = () => true
}

function declare(
  policy: PolicyClass<Book> | null,
  overrides: Partial<ResourceDeclaration<Book>> = {},
): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').required(), belongsTo('shelf', 'shelves')],
    ...overrides,
    ...(policy && { policy }),
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
  })
  return [books, shelves].map((resource) => ({ file: 'plugins/authorization/test/authorization.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const connection = orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction'), ('Poetry')")
  await connection.execute(
    "insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Howl', 2), ('Faust', null)",
  )
}

async function tables(): Promise<unknown> {
  const { orm } = await libraryDatabase()
  return orm.em.getConnection().execute('select * from books order by id')
}

function bookNamed(title: string, id?: string) {
  return { data: { type: 'books', ...(id && { id }), attributes: { title } } }
}

function readIds({ status, body }: ClientResponse): string[] {
  expect(status).to.equal(200)
  return body.data.map(({ id }: { id: string }) => id)
}
