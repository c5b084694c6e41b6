import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { cursor } from '#plugins/pagination/index.ts'
import { Book, Label, Shelf, Tag } from './entities.ts'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').required().sortable(),
    hasMany('books', 'books').paginate(cursor({ size: 2 })),
    hasMany('allBooks', 'books').storedAs('books').withoutPagination(),
    hasOne('label', 'labels'),
  ],
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').required().sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    dateTime('printedAt').nullable().sortable(),
    string('secret').nullable().hidden(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags'),
  ],
  sorts: { size: 'pages' },
  pagination: () => cursor({ size: 5 }),
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string, belongsToMany }) => [
    id().allowClientId(),
    string('name').required().maxLength(40).sortable(),
    belongsToMany('books', 'books').withData(),
  ],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

export const libraryResources: readonly DeclaredResource[] = [shelves, books, tags, labels].map((resource) => ({
  file: 'test/template/support/library/resources.ts',
  resource,
}))
