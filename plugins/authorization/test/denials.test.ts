import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { Book, Shelf } from '#test/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
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
      class extends OpenPolicy {
        change = () => false
      },
    )
    const relationships = { shelf: { data: null } }
    const detail = await detailOf('PATCH', '/books/1', { type: 'books', id: '1', relationships })
    expect(detail).to.equal("A change of 'shelf' is not allowed.")
  })

  it('names the type of the member in debug mode when its update ability denies a write of the relationship', async () => {
    await start(
      class extends OpenPolicy {
        change = () => true
        override update = () => false
      },
    )
    const detail = await detailOf('PATCH', '/shelves/1/relationships/books', [])
    expect(detail).to.equal('This change of books is not allowed.')
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
