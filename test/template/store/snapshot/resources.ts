import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { page } from '#plugins/pagination/index.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label, Shelf } from '#test/template/support/library/entities.ts'

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name'),
    hasMany('books', 'books').countable(),
    hasMany('linkedBooks', 'books').storedAs('books').withData().withoutPagination(),
    hasOne('label', 'labels'),
  ],
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo }) => [id(), string('title'), belongsTo('shelf', 'shelves')],
  countable: true,
  pagination: () => page({ size: 10 }),
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

const boxes = defineResource(Box, {
  type: 'boxes',
  fields: ({ id, string, morphToMany }) => [
    id(),
    string('name'),
    morphToMany('contents', ['books', 'labels']).throughProperty('thing'),
  ],
})

export const snapshotResources: readonly DeclaredResource[] = [shelves, books, labels, boxes].map((resource) => ({
  file: 'test/template/store/snapshot/resources.ts',
  resource,
}))

/** Two books on a shelf with a label, and a box of both. Every text is `old`. */
export const oldState: readonly string[] = [
  "insert into shelves (id, name) values (1, 'old')",
  "insert into books (id, title, position, shelf_id) values (1, 'old', 1, 1), (2, 'old', 1, 1)",
  "insert into labels (id, text, shelf_id) values (1, 'old', 1)",
  "insert into boxes (id, name) values (1, 'old')",
  `insert into box_items (id, box_id, thing_type, thing_id, position)
   values (1, 1, 'books', 1, 1), (2, 1, 'books', 2, 2), (3, 1, 'labels', 1, 3)`,
]

/** The same with a third book. Every text is `new`. */
export const newState: readonly string[] = [
  "update shelves set name = 'new'",
  "update books set title = 'new'",
  "insert into books (id, title, position, shelf_id) values (3, 'new', 1, 1)",
  "update labels set text = 'new'",
  "update boxes set name = 'new'",
  "insert into box_items (id, box_id, thing_type, thing_id, position) values (4, 1, 'books', 3, 4)",
]

/** Neither the shelf nor its books. */
export const deletedState: readonly string[] = [
  'delete from box_items',
  'delete from labels',
  'delete from books',
  'delete from shelves',
]
