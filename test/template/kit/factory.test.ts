import type { EntityClass } from '@mikro-orm/core'
import { expect } from 'chai'
import { projectSchema } from '#test/support/database.ts'
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
})
