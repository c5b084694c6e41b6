import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import { requireRole, type ServerOptions } from '#kernel/plugin'
import { as } from '#test/support/principals.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { open, Policy, type PolicyContext } from '../index.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is untyped JSON
type Part = any

const optional = [{}, { bearer: [] }]

describe('security of operations in the OpenAPI document', () => {
  it('has an empty alternative for every operation of a type that is open to all callers', async () => {
    for (const declared of [{ policy: open }, {}] as const) {
      const securityOf = await describeBooks(declared)
      for (const operation of operationsOfBooks) expect(securityOf(operation), operation).to.deep.equal(optional)
    }
  })

  it('has an empty alternative where the policy allows anonymous callers without a row', async () => {
    const securityOf = await describeBooks({ policy: ReadersPolicy })
    expect(operationsWith(securityOf, optional)).to.deep.equal([
      'fetchCollection.books',
      'fetchOne.books',
      'fetchRelated.books.shelf',
      'fetchRelationship.books.shelf',
    ])
  })

  it('has none where an ability reads the row, is asynchronous, throws, or sees no rows', async () => {
    for (const policy of [RowPolicy, AsyncPolicy, ThrowingPolicy, RejectingPolicy, HiddenPolicy]) {
      const securityOf = await describeBooks({ policy })
      const open = operationsWith(securityOf, optional)
      const expected = policy === RowPolicy ? ['fetchCollection.books', 'create.books'] : []
      expect(open, policy.name).to.deep.equal(expected)
    }
  })

  it('has none where abilities are true, and is empty where they are false', async () => {
    const securityOf = await describeBooks({ policy: ReadersPolicy, abilities: { list: false, read: true } })
    expect(securityOf('fetchCollection.books')).to.deep.equal([])
    expect(securityOf('fetchOne.books')).to.equal(undefined)
    expect(securityOf('fetchRelated.books.shelf')).to.equal(undefined)
  })

  it('has none for relationship writes that the policy of a member denies', async () => {
    const securityOf = await describeBooks({ policy: ReadersPolicy })
    expect(securityOf('addRelationship.shelves.books')).to.equal(undefined)
    expect(securityOf('fetchRelationship.shelves.books')).to.deep.equal(optional)
  })

  it('has an empty alternative for batches when anonymous callers may write a type', async () => {
    expect((await describeBooks({ policy: ReadersPolicy }))('atomic.operations')).to.deep.equal(optional)
    const denied = await describeBooks({ policy: ReadersPolicy }, { operations: ['FetchOne', 'FetchCollection'] })
    expect(denied('atomic.operations')).to.equal(undefined)
  })

  it('has none on a server with middleware', async () => {
    const securityOf = await describeBooks({ policy: open }, {}, { middleware: [requireRole('admin')] })
    expect(operationsWith(securityOf, optional)).to.deep.equal([])
  })
})

const operationsOfBooks = [
  'fetchCollection.books',
  'create.books',
  'fetchOne.books',
  'update.books',
  'delete.books',
  'fetchRelated.books.shelf',
  'fetchRelationship.books.shelf',
  'updateRelationship.books.shelf',
]

type SecurityOf = (operationId: string) => Part

const operationsWith = (securityOf: SecurityOf, security: Part) =>
  operationsOfBooks.filter((operation) => JSON.stringify(securityOf(operation)) === JSON.stringify(security))

/** Returns the security of an operation in the document of a library with these declarations. */
async function describeBooks(
  ofBooks: Partial<ResourceDeclaration<Book>>,
  ofShelves: Partial<ResourceDeclaration<Shelf>> = {},
  server: ServerOptions = {},
): Promise<SecurityOf> {
  const books = defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo }) => [id(), string('title').required(), belongsTo('shelf', 'shelves')],
    ...ofBooks,
  })
  const shelves = defineResource(Shelf, {
    type: 'shelves',
    fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')],
    ...ofShelves,
  })
  const resources = [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
  const { client, close } = await startLibrary({ resources, servers: { default: server } })
  const { text } = await client.get('/docs.json', as('admin'))
  await close()
  const operations = Object.values<Part>(JSON.parse(text).paths).flatMap((item) => Object.values<Part>(item))
  return (operationId) => operations.find((operation) => operation.operationId === operationId)?.security
}

class ReadersPolicy extends Policy<Book> {
  static override readonly needs: Readonly<Record<string, readonly string[]>> = { view: [], update: [], delete: [] }
  override viewAny(_principal: Principal | null, _context: PolicyContext): boolean | Promise<boolean> {
    return true
  }
  override view(): boolean | Promise<boolean> {
    return true
  }
  override create(principal: Principal | null): boolean | Promise<boolean> {
    return principal !== null
  }
  override update(principal: Principal | null): boolean | Promise<boolean> {
    return principal !== null
  }
  override delete(principal: Principal | null): boolean | Promise<boolean> {
    return principal !== null
  }
}

class RowPolicy extends ReadersPolicy {
  static override readonly needs = { view: ['title'], update: ['title'], delete: ['title'] }
  override scope = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
}

class AsyncPolicy extends ReadersPolicy {
  override viewAny = async () => true
  override view = async () => true
}

class ThrowingPolicy extends ReadersPolicy {
  override viewAny = (_: Principal | null, { unit }: PolicyContext) => unit.em !== undefined
  override view = () => {
    throw new Error('No directory.')
  }
}

class RejectingPolicy extends ReadersPolicy {
  override viewAny = async () => {
    throw new Error('No directory.')
  }
  override view = () => Promise.reject(new Error('No directory.'))
}

class HiddenPolicy extends ReadersPolicy {
  override scope = (principal: Principal | null) => principal !== null
}
