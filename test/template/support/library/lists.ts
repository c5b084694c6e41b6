import { defineEntity, type EntityName, p } from '@mikro-orm/core'
import { Book } from './entities.ts'

// A many-to-many relation with pivot columns: books in the order of a reading list.

const listSchema = defineEntity({
  name: 'ReadingList',
  tableName: 'reading_lists',
  properties: {
    id: p.integer().primary(),
    name: p.text(),
    removedAt: p.datetime(3).nullable(),
    books: () =>
      p
        .manyToMany(Book)
        .owner()
        .pivotEntity((): EntityName => ListEntry),
  },
})
export class ReadingList extends listSchema.class {}
listSchema.setClass(ReadingList)

const entrySchema = defineEntity({
  name: 'ListEntry',
  tableName: 'list_entries',
  properties: {
    id: p.integer().primary(),
    list: () => p.manyToOne(ReadingList).ref().index(),
    book: () => p.manyToOne(Book).ref().index(),
    place: p.integer(),
    note: p.text().nullable(),
    addedAt: p.datetime(3).nullable(),
  },
})
export class ListEntry extends entrySchema.class {}
entrySchema.setClass(ListEntry)
