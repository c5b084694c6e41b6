import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from './open-policy.ts'

// Scopes that filter by related rows: a write of the related rows may move a row out of the scope.

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'
const ada = as('ada')
const book = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'books', id })) })
const tag = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'tags', id })) })

describe('A scope that filters by related rows', () => {
  let library: TestApp
  const start = async (policies: Policies) => {
    library = await startLibrary({ resources: declare(policies), plugins: pluginsWithTokens('ada') })
  }
  const send = (method: string, path: string, body: object) => library.client.send(method, path, { body, headers: ada })
  const expectForbidden = async (method: string, path: string, body: object) => {
    const before = await tables()
    expect((await send(method, path, body)).status, `${method} ${path}`).to.equal(403)
    expect(await tables(), `${method} ${path}`).to.deep.equal(before)
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('returns 403 when a write of a many-to-many would move the parent out of the scope', async () => {
    await start({ books: scopedBy({ tags: { name: 'red' } }) })
    await expectForbidden('DELETE', '/books/1/relationships/tags', tag(red))
    await expectForbidden('PATCH', '/books/1/relationships/tags', tag(blue))
    expect((await send('PATCH', '/books/1/relationships/tags', tag(blue, red))).status).to.equal(200)
    expect((await send('DELETE', '/books/1/relationships/tags', tag(blue))).status).to.equal(200)
  })

  it('returns 403 when an addition to a many-to-many would move the parent out of the scope', async () => {
    await start({ books: scopedBy({ tags: { $none: { name: 'blue' } } }) })
    await expectForbidden('POST', '/books/1/relationships/tags', tag(blue))
  })

  it('returns 403 when a write of a hasMany would move the parent out of the scope', async () => {
    await start({ shelves: scopedBy({ books: { title: 'Emma' } }) })
    await expectForbidden('DELETE', '/shelves/1/relationships/books', book('2'))
    expect((await send('DELETE', '/shelves/1/relationships/books', book('1'))).status).to.equal(200)
  })

  it('returns 403 when a write from the inverse side of a many-to-many would move a member out of the scope', async () => {
    await start({ books: scopedBy({ tags: { name: 'red' } }) })
    await expectForbidden('DELETE', `/tags/${red}/relationships/books`, book('1'))
    await expectForbidden('PATCH', `/tags/${red}/relationships/books`, book('1'))
    const relationships = { books: book('1') }
    await expectForbidden('PATCH', `/tags/${red}`, { data: { type: 'tags', id: red, relationships } })
    expect((await send('PATCH', `/tags/${red}/relationships/books`, book('1', '2'))).status).to.equal(200)
  })

  it('returns 201 for a row created within the scope when view denies all rows', async () => {
    await start({
      books: class extends OpenPolicy {
        override view = () => false
        override scope = () => ({ shelf: { name: 'Fiction' } })
      },
    })
    const relationships = { shelf: { data: { type: 'shelves', id: '1' } } }
    const data = { type: 'books', attributes: { title: 'Howl' }, relationships }
    expect((await send('POST', '/books', { data })).status).to.equal(201)
    expect((await send('POST', '/books', { data: { ...data, relationships: {} } })).status).to.equal(403)
  })

  it('runs one more statement than a scope on columns of the row, which adds none', async () => {
    const countOf = async (policies: Policies) => {
      await start(policies)
      const statements = await statementsOf(async () => {
        expect((await send('POST', '/books/1/relationships/tags', tag(blue))).status).to.equal(200)
      })
      await library.close()
      await fillLibrary()
      return statements.length
    }
    const without = await countOf({ books: OpenPolicy })
    expect(await countOf({ books: scopedBy({ shelf: 1, title: { $ne: 'Howl' } }) })).to.equal(without)
    expect(await countOf({ books: scopedBy({ tags: { name: 'red' } }) })).to.equal(without + 1)
    await start({})
  })
})

function scopedBy(filter: object): typeof OpenPolicy {
  return class extends OpenPolicy {
    override scope = () => filter
  }
}

interface Policies {
  readonly books?: typeof OpenPolicy
  readonly shelves?: typeof OpenPolicy
}

function declare({ books = OpenPolicy, shelves = OpenPolicy }: Policies): readonly DeclaredResource[] {
  const resources = [
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo, belongsToMany }) => [
        id(),
        string('title').required(),
        belongsTo('shelf', 'shelves'),
        belongsToMany('tags', 'tags'),
      ],
      policy: books,
    }),
    defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
      policy: shelves,
    }),
    defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string, belongsToMany }) => [id().uuid(), string('name'), belongsToMany('books', 'books')],
    }),
  ]
  return resources.map((resource) => ({ file: 'plugins/authorization/test/scope-through-relations.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into shelves (name) values ('Fiction')")
  await connection.execute("insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1)")
  await connection.execute(`insert into tags (id, name) values ('${red}', 'red'), ('${blue}', 'blue')`)
  await connection.execute(`insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}')`)
}

async function tables(): Promise<unknown> {
  const connection = (await libraryDatabase()).orm.em.getConnection()
  return Promise.all(['books', 'book_tags'].map((name) => connection.execute(`select * from ${name} order by 1, 2`)))
}
