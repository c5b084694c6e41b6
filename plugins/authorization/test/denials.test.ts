import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import { type DeclaredResource, requireRole } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass, PolicyContext } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

const ada = as('ada')

describe('A denial by a policy', () => {
  let library: TestApp
  const start = async (policy: PolicyClass<Book>) => {
    library = await startLibrary({
      resources: declare(policy),
      plugins: pluginsWithTokens('ada'),
      config: { debug: true },
    })
  }
  const detailOf = async (method: string, path: string, data: object | null | readonly object[]) => {
    const { status, body } = await library.client.send(method, path, { body: { data }, headers: ada })
    expect(status).to.equal(403)
    return body.errors[0].detail
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('names the relation in debug mode when the mutate ability denies a PATCH of the resource', async () => {
    await start(
      class BookPolicy extends OpenPolicy {
        change = () => false
      },
    )
    const relationships = { shelf: { data: null } }
    const detail = await detailOf('PATCH', '/books/1', { type: 'books', id: '1', relationships })
    expect(detail).to.equal(
      "A change of 'shelf' is not allowed. BookPolicy.change did not return true. The requester is 'ada' without roles.",
    )
  })

  it('names the type of the member in debug mode when its update ability denies a write of the relationship', async () => {
    await start(
      class BookPolicy extends OpenPolicy {
        change = () => true
        override update = () => false
      },
    )
    const detail = await detailOf('PATCH', '/shelves/1/relationships/books', [])
    expect(detail).to.equal(
      "This change of books is not allowed. BookPolicy.update did not return true. The requester is 'ada' without roles.",
    )
  })

  it('names the policy, the ability and the requester in debug mode', async () => {
    await start(
      class BookPolicy extends OpenPolicy {
        change = () => true
        override viewAny = () => false
        override delete = () => false
        override before = () => undefined
      },
    )
    const { status, body } = await library.client.get('/books')
    expect(status).to.equal(401)
    expect(body.errors[0].detail).to.equal(
      'FetchCollection needs authentication. BookPolicy.before or BookPolicy.viewAny did not return true. The requester is anonymous.',
    )
    const denied = await library.client.send('DELETE', '/books/1', { headers: ada })
    expect(denied.body.errors[0].detail).to.equal(
      "Delete is not allowed. BookPolicy.before or BookPolicy.delete did not return true. The requester is 'ada' without roles.",
    )
  })

  it('names the scope in debug mode when a written row is outside of it', async () => {
    await start(
      class BookPolicy extends OpenPolicy {
        change = () => true
        override scope = () => ({ title: { $ne: 'Walden' } })
      },
    )
    const data = { type: 'books', id: '1', attributes: { title: 'Walden' } }
    expect(await detailOf('PATCH', '/books/1', data)).to.equal(
      "A row of books outside of the writer's scope is not allowed. BookPolicy.scope excludes the row after the write. The requester is 'ada' without roles.",
    )
  })

  it('names the missing role of a server in debug mode', async () => {
    library = await startLibrary({
      resources: declare(
        class BookPolicy extends OpenPolicy {
          change = () => true
        },
      ),
      plugins: pluginsWithTokens('ada'),
      servers: { default: { middleware: [requireRole('librarian')] } },
      config: { debug: true },
    })
    const { status, body } = await library.client.get('/books', ada)
    expect(status).to.equal(403)
    expect(body.errors[0].detail).to.equal(
      "Access to this server is not allowed. It requires the role 'librarian'. The requester is 'ada' without roles.",
    )
  })

  it('has an empty detail outside debug mode', async () => {
    class BookPolicy extends OpenPolicy {
      change = () => true
      override viewAny = () => false
    }
    library = await startLibrary({ resources: declare(BookPolicy), plugins: pluginsWithTokens('ada') })
    expect((await library.client.get('/books')).body.errors[0].detail).to.equal('')
    expect((await library.client.get('/books', ada)).body.errors[0].detail).to.equal('')
  })
})

describe('A policy method that reads no row', () => {
  let library: TestApp
  afterEach(() => library.close())
  after(emptyLibrary)

  it('receives undefined as the row and the context as the last argument', async () => {
    await fillLibrary()
    const calls: unknown[] = []
    class RecordingPolicy extends OpenPolicy {
      change = () => true
      override view = (principal: Principal | null, row: unknown, context: PolicyContext) => {
        calls.push([principal?.identifier, row, context.server.name])
        return true
      }
    }
    library = await startLibrary({ resources: declare(RecordingPolicy), plugins: pluginsWithTokens('ada') })
    calls.length = 0 // without those for the OpenAPI document
    const { body } = await library.client.get('/shelves/1?include=books', ada)
    expect(body.included).to.have.length(1)
    expect(calls).to.deep.equal([['ada', undefined, 'default']])
  })
})

function declare(policy: PolicyClass<Book>): readonly DeclaredResource[] {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [
      id(),
      string('title'),
      belongsTo('shelf', 'shelves').security({ mutate: 'change' }),
    ],
    policy,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
  })
  return [books, shelves].map((resource) => ({ file: 'plugins/authorization/test/denials.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Emma', 1)")
}
