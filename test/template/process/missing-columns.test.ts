import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { schemaWarning } from '#app/process/schema-warning.ts'
import { type Database, missingColumns, openDatabase } from '#store'
import { statementsOf } from '#test/support/statements.ts'

const shelfSchema = defineEntity({
  name: 'Shelf',
  tableName: 'drift_shelves',
  properties: { id: p.integer().primary(), room: p.text().fieldName('room_name') },
})
class Shelf extends shelfSchema.class {}
shelfSchema.setClass(Shelf)

const bookSchema = defineEntity({
  name: 'Book',
  tableName: 'drift_books',
  properties: {
    id: p.integer().primary(),
    title: p.text(),
    shout: p.text().persist(false),
    size: p.integer().formula('length(title)'),
    shelf: () => p.manyToOne(Shelf).ref(),
    others: () => p.manyToMany(Shelf).pivotTable('drift_books_shelves'),
  },
})
class Book extends bookSchema.class {}
bookSchema.setClass(Book)

describe('Columns that the database lacks', () => {
  let database: Database
  before(async () => {
    database = await openDatabase({ databaseUrl: null, dataDir: null, entities: [Shelf, Book], migrations: [] })
  })
  after(() => database.close())

  it('are tables, columns, foreign keys and join tables without a migration', async () => {
    expect(await missingColumns(database)).to.have.members(['drift_shelves', 'drift_books', 'drift_books_shelves'])
    await execute('create table drift_books (id serial primary key)')
    await execute('create table drift_shelves (id serial primary key, room_name text)')
    expect(await missingColumns(database)).to.have.members([
      'drift_books.title',
      'drift_books.shelf_id',
      'drift_books_shelves',
    ])
  })

  it('are none if the schema is complete, and a column that was dropped later, found by one statement', async () => {
    await database.orm.schema.update()
    expect(await missingColumns(database)).to.deep.equal([])
    await execute('alter table drift_books drop column title')
    const statements = await statementsOf(async () => {
      expect(await missingColumns(database)).to.deep.equal(['drift_books.title'])
    })
    expect(statements).to.have.length.at.most(1)
  })

  it('are reported at the start, in development with the command that writes the migration', () => {
    const fact = 'The database lacks albums.subtitle, which entities declare: requests that use them fail.'
    expect(schemaWarning(['albums.subtitle'], { environment: 'development' })).to.equal(
      `${fact} npm run migrate -- create writes the migration of a changed entity, which the next start applies.`,
    )
    expect(schemaWarning(['albums.subtitle'], { environment: 'production' })).to.equal(
      `${fact} npm run doctor lists the differences.`,
    )
  })

  async function execute(sql: string): Promise<void> {
    await database.orm.em.fork().execute(sql)
  }
})
