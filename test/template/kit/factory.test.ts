import { defineEntity, type EntityClass, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { openTestDatabase, projectSchema } from '#test/support/database.ts'
import { defineFactory } from '#test/support/factory.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

describe('defineFactory', () => {
  before(emptyLibrary)

  it('inserts rows with a sequence number, and given values replace the defaults', async () => {
    const books = defineFactory(Book, (n) => ({ title: `Book ${n}`, position: 7 }), libraryDatabase)
    const [first, second] = await books.createMany(2)
    const third = await books.create({ title: 'Emma' })
    expect(first?.title)
      .to.match(/^Book \d+$/)
      .and.not.to.equal(second?.title)
    const { client, close } = await startLibrary()
    const { body } = await client.get(`/books/${third.id}`)
    await close()
    expect(body.data.attributes).to.include({ title: 'Emma' })
  })

  it('accepts rows of other factories in relations', async () => {
    const shelf = await defineFactory(Shelf, () => ({ name: 'Novels' }), libraryDatabase).create()
    const book = await defineFactory(Book, () => ({ title: 'Emma' }), libraryDatabase).create({ shelf })
    expect(book.shelf?.id).to.equal(shelf.id)
  })

  it('generates values for the required columns of every table of the project', async () => {
    const { entities } = await projectSchema()
    for (const entity of entities as EntityClass<object>[]) {
      expect(await defineFactory(entity).create(), entity.name).to.be.instanceOf(entity)
    }
  })

  it('generates different values for columns of domains and of types that do not accept every text', async () => {
    const schema = defineEntity({
      name: 'Parcel',
      tableName: 'parcels',
      properties: {
        id: p.integer().primary().autoincrement(),
        code: p.text().columnType('parcel_code').unique(),
        label: p.string().columnType('parcel_code'),
        count: p.integer().columnType('parcel_count').unique(),
        isOpen: p.boolean().columnType('parcel_flag'),
        number: p.uuid().columnType('parcel_number').unique(),
        price: p.decimal().columnType('parcel_price').unique(),
        weight: p.decimal().columnType('numeric').unique(),
        total: p.decimal('number').precision(8).scale(2).unique(),
        sent: p.date().columnType('parcel_date'),
        duration: p.interval().columnType('interval').unique(),
        address: p.string().columnType('inet').unique(),
        device: p.string().columnType('macaddr'),
        fee: p.string().columnType('money').unique(),
        sizes: p.string().columnType('int4range'),
        flags: p.string().columnType('bit(1)'),
        words: p.string().columnType('tsvector'),
        content: p.blob(),
        notes: p.json(),
        tags: p.array(),
      },
    })
    class Parcel extends schema.class {}
    schema.setClass(Parcel)
    const domains = { code: 'text', count: 'integer', flag: 'boolean', number: 'uuid', price: 'numeric', date: 'date' }
    const database = await openTestDatabase({ entities: [Parcel], migrations: [] })
    try {
      const connection = database.orm.em.getConnection()
      for (const [name, type] of Object.entries(domains))
        await connection.execute(`create domain parcel_${name} as ${type}`)
      await database.orm.schema.create()
      await defineFactory(Parcel, undefined, async () => database).createMany(2)
      expect(await database.orm.em.fork().count(Parcel)).to.equal(2)
    } finally {
      await database.close()
    }
  })
})
