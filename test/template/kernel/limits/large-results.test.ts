import { expect } from 'chai'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { Database } from '#store/connection/types.ts'
import { type Connection, ResultTooLarge } from '#store/driver/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createLibraryTables, librarySchema, startLibrary } from '#test/template/support/library/index.ts'

// 200 books of one shelf, each with 3,000 characters: more than the 100,000 bytes that a statement may return here.
const accepted = '/books?page[size]=10'
const refused = {
  'an include': '/shelves?include=allBooks',
  'an include of one resource': '/shelves/1?include=allBooks',
  'a related page': '/shelves/1/books?page[size]=50',
}

describe('Rows of one statement with more bytes than MAX_RESULT_BYTES', () => {
  let owner: TestDatabase
  let database: Database
  let library: TestApp

  before(async function () {
    if (!process.env.DATABASE_URL || process.env.DATABASE_POOLER) this.skip() // the embedded database returns all rows at once
    const schema = await librarySchema()
    owner = await openTestDatabase(schema)
    await createLibraryTables(owner)
    const em = owner.orm.em.fork()
    await em.execute("insert into shelves (name) values ('Novels'), ('Poems')")
    await em.execute(
      `insert into books (title, shelf_id) select repeat('a', 3000) || n, 1 from generate_series(1, 200) n`,
    )
    const databaseLimits = { ...defaultLimits, connections: 2, resultBytes: 100_000 }
    database = await openDatabase({
      databaseUrl: owner.databaseUrl as string,
      dataDir: null,
      databaseLimits,
      ...schema,
    })
    library = await startLibrary({ database })
  })
  after(async () => {
    await library?.close()
    await database?.close()
    await owner?.close()
  })

  for (const [name, path] of Object.entries(refused)) {
    it(`are refused for ${name}, whether the statement is prepared or not; other requests are served`, async () => {
      for (let attempt = 1; attempt <= 5; attempt++) {
        const { status, body } = await library.client.get(path)
        expect([status, body.errors?.[0]?.code, body.errors?.[0]?.detail]).to.deep.equal([
          400,
          'DOCUMENT_TOO_LARGE',
          'The document would have more than 100000 bytes; the data of one type exceeds the limit. Accepted instead: a smaller page (page[size]), a shorter include, fewer fields (fields) or fewer members.',
        ])
        expect((await library.client.get(accepted)).status).to.equal(200)
      }
    })
  }

  it('are refused for a relationship that locks its members; nothing is written', async () => {
    const members = Array.from({ length: 200 }, (_, index) => ({ type: 'books', id: String(index + 1) }))
    const { status, text } = await library.client.post('/shelves/2/relationships/books', { data: members })
    expect(status, text).to.equal(400)
    expect(
      await owner.orm.em.fork().execute('select count(*)::int as count from books where shelf_id = 2'),
    ).to.deep.equal([{ count: 0 }])
  })

  it('are accepted in the response to an update that commits by itself', async () => {
    await owner.orm.em.fork().execute("insert into books (id, title) values (999, repeat('a', 150000))")
    const document = { data: { type: 'books', id: '999', attributes: { position: 7 } } }
    const { status, text } = await library.client.patch('/books/999', document)
    expect(status, text.slice(0, 300)).to.equal(200)
  })

  it('are accepted when the limit is disabled, as in a migration, until the connection is released', async () => {
    const session = (await database.connect?.()) as Connection
    session.disableLimit('result bytes')
    expect((await session.query('select title from books where shelf_id = 1')).rows).to.have.length(200)
    session.release()
    const error = await database.query?.('select title from books', []).catch((thrown) => thrown)
    expect(error).to.be.instanceOf(ResultTooLarge)
  })
})
