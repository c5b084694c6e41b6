import { expect } from 'chai'
import type { StatementNames } from '#app/kernel/errors/statement-error.ts'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { native } from '#kernel/queries'
import type { TestApp } from '#test/support/app.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from './open-policy.ts'

// A scope whose filter the database rejects is a fault of the policy: no request can avoid it.

const value = 'ada@example.com'

class ShelfPolicy extends OpenPolicy {
  static filter: object = {}
  override scope = () => ShelfPolicy.filter
}

const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/shelves'],
  ['GET', '/shelves/1'],
  ['GET', '/shelves/1/books'],
  ['GET', '/books?include=shelf'],
  ['GET', '/books?filter[shelfName]=Fiction'],
  ['POST', '/shelves', { data: { type: 'shelves', attributes: { name: 'New' } } }],
  ['PATCH', '/shelves/1', { data: { type: 'shelves', id: '1', attributes: { name: 'Changed' } } }],
  ['DELETE', '/shelves/1'],
  ['PATCH', '/books/1', { data: { type: 'books', id: '1', relationships: { shelf: { data: shelf('1') } } } }],
  ['PATCH', '/books/1/relationships/shelf', { data: shelf('1') }],
]

describe('A scope with a value that its column cannot hold', () => {
  let library: TestApp
  const logged: { level: string; details: Record<string, unknown>; message: string }[] = []
  const logger = (level: string) => (details: object, message: string) => {
    logged.push({ level, details: details as Record<string, unknown>, message })
  }
  const start = async (debug: boolean) => {
    library = await startLibrary({
      resources: declare(),
      config: { debug },
      logger: { error: logger('error'), warn: logger('warn'), info: () => {} },
    })
  }
  const send = async (method: string, path: string, body?: object) => {
    logged.length = 0
    return library.client.send(method, path, body ? { body } : {})
  }
  /** The line of the error, beside those of the request log. */
  const errorLine = () => {
    const lines = logged.filter(({ message }) => message !== 'Request failed')
    expect(lines.map(({ level, message }) => [level, message])).to.deep.equal([['error', 'Unexpected error']])
    return lines[0]?.details as unknown as StatementNames & { err: Error }
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  for (const [name, filter] of [
    ['of a column', { id: value }],
    ['of a related row', { books: { position: value } }],
  ] as const) {
    for (const [method, path, body] of requests) {
      it(`${name} is a 500 with the statement and the policy in the log: ${method} ${path}`, async () => {
        await start(false)
        ShelfPolicy.filter = filter
        const { status, body: document } = await send(method, path, body)
        expect(status).to.equal(500)
        expect(document.errors).to.deep.equal([{ status: '500', title: 'Internal Server Error' }])
        const { err, code, statement, declaredBy, ...details } = errorLine()
        expect(err.message).to.equal('invalid input syntax for type integer: "?"')
        expect([err.name, code, declaredBy]).to.deep.equal(['StatementError', '22P02', ['ShelfPolicy.scope']])
        expect(statement).to.match(/\bshelves\b/)
        expect(err.stack).to.match(/at .*app\/store\//)
        expect(JSON.stringify([err, err.stack, statement, details])).not.to.include(value)
      })
    }
  }

  it('is shown in debug mode: message, code, statement and policy', async () => {
    await start(true)
    ShelfPolicy.filter = { id: value }
    const { body } = await send('GET', '/shelves')
    const [error] = body.errors
    expect(error).to.include({ status: '500', code: '22P02', detail: 'invalid input syntax for type integer: "?"' })
    expect(error.meta).to.include({ exception: 'StatementError' })
    expect(error.meta.database.declaredBy).to.deep.equal(['ShelfPolicy.scope'])
    expect(error.meta.database.statement).to.match(/^select .*"shelves"/)
  })

  it('is a 500 when an operator does not exist for the column', async () => {
    await start(false)
    ShelfPolicy.filter = { id: { $like: 'x%' } }
    expect((await send('GET', '/shelves')).status).to.equal(500)
    expect(errorLine()).to.include({ code: '42883' })
    expect(errorLine().declaredBy).to.deep.equal(['ShelfPolicy.scope'])
  })

  it('is a 500 with the name of the filter when a custom filter returns the value', async () => {
    await start(false)
    ShelfPolicy.filter = { id: 1 }
    expect((await send('GET', '/books?filter[late]=1')).status).to.equal(500)
    expect(errorLine()).to.include({ code: '22P02' })
    expect(errorLine().declaredBy).to.deep.equal(['filter[late]'])
  })
})

function shelf(id: string) {
  return { type: 'shelves', id }
}

function declare(): readonly DeclaredResource[] {
  const resources = [
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
      filters: ({ whereThrough, custom }) => [
        whereThrough('shelfName', 'shelf.name'),
        custom('late').condition(() => native({ position: value })),
      ],
      policy: OpenPolicy,
    }),
    defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
      policy: ShelfPolicy,
    }),
  ]
  return resources.map((resource) => ({ file: 'plugins/authorization/test/scope-faults.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1)")
}
