import { Collection, defineEntity, p } from '@mikro-orm/core'

// A small domain for the tests of plugins and of the store, beside the catalogue: shelves of books with tags. `removedAt`
// is for soft deletes.

const shelfSchema = defineEntity({
  name: 'Shelf',
  tableName: 'shelves',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    removedAt: p.datetime(3).nullable(),
    books: () => p.oneToMany(Book).mappedBy('shelf').orderBy({ position: 'desc' }),
    label: () => p.oneToOne(Label).mappedBy('shelf').ref().nullable(),
  },
})
export class Shelf extends shelfSchema.class {}
shelfSchema.setClass(Shelf)

const bookSchema = defineEntity({
  name: 'Book',
  tableName: 'books',
  filters: { kept: { name: 'kept', cond: { deletedAt: null }, default: true } },
  properties: {
    id: p.integer().primary(),
    title: p.text(),
    position: p.integer().default(1),
    rating: p.decimal('number').precision(4).scale(2).nullable(),
    pages: p.bigint('string').nullable(),
    printedAt: p.datetime(6).nullable(),
    secret: p.text().nullable(),
    deletedAt: p.datetime(3).nullable(),
    removedAt: p.datetime(3).nullable(),
    shelf: () => p.manyToOne(Shelf).ref().nullable().index(),
    tags: () => p.manyToMany(Tag).owner().pivotTable('book_tags'),
  },
})
export class Book extends bookSchema.class {}
bookSchema.setClass(Book)

const tagSchema = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  properties: {
    id: p.uuid().primary(),
    name: p.string().length(40).unique(),
    removedAt: p.datetime(3).nullable(),
    books: () => p.manyToMany(Book).mappedBy('tags'),
  },
})
export class Tag extends tagSchema.class {
  constructor() {
    super()
    this.books = new Collection<Book>(this) as typeof this.books
  }
}
tagSchema.setClass(Tag)

const labelSchema = defineEntity({
  name: 'Label',
  tableName: 'labels',
  properties: {
    id: p.integer().primary(),
    text: p.text(),
    removedAt: p.datetime(3).nullable(),
    shelf: () => p.oneToOne(Shelf).ref().owner().nullable(),
  },
})
export class Label extends labelSchema.class {}
labelSchema.setClass(Label)
