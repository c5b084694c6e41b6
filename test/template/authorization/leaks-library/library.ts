import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { cursor } from '#plugins/pagination/index.ts'
import type { Database } from '#store'
import { makeFilterable } from '#test/template/support/filterable.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibraryTables } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { Loan } from '#test/template/support/library/loans.ts'

// The library with every kind of relation, filter and count, so that every path to a row exists.

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').required().sortable(),
    string('text').on('label').nullable(),
    hasMany('books', 'books').countable(),
    hasOne('label', 'labels'),
  ],
  filters: ({ whereHas, whereDoesntHave, whereThrough, whereIdIn, whereHasMatching }) => [
    whereHas('books'),
    whereDoesntHave('empty', 'books'),
    whereThrough('books.title'),
    whereThrough('books.tags.name'),
    whereIdIn(),
    whereIdIn('holding', 'books'),
    whereHasMatching('titled', 'books', (value) => ({ title: String(value) })),
  ],
  countable: true,
})

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, belongsTo, belongsToMany }) => [
    id(),
    string('title').required().sortable(),
    integer('position').sortable(),
    string('name').on('shelf').nullable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').countable(),
  ],
  filters: ({ contains, whereIdIn, whereThrough, whereHas }) => [
    contains('title'),
    whereIdIn(),
    whereThrough('shelf.name'),
    whereHas('tags'),
  ],
  countable: true,
  pagination: () => cursor({ size: 5 }),
})

const tags = defineResource(Tag, {
  type: 'tags',
  fields: ({ id, string, belongsToMany }) => [
    id().uuid().generated().allowClientId(),
    string('name').required().sortable(),
    belongsToMany('books', 'books').withData().countable(),
  ],
  filters: ({ where, whereHas, whereThrough }) => [where('name'), whereHas('books'), whereThrough('books.shelf.name')],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('text').required(),
    string('name').on('shelf').nullable(),
    belongsTo('shelf', 'shelves'),
  ],
  filters: ({ whereThrough }) => [whereThrough('shelf.name'), whereThrough('shelf.books.title')],
})

const lists = defineResource(ReadingList, {
  type: 'lists',
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').required(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer }) => [integer('place').required()])
      .countable(),
  ],
  filters: ({ whereHas }) => [whereHas('books')],
})

const boxes = defineResource(Box, {
  type: 'boxes',
  fields: ({ id, string, morphToMany }) => [
    id(),
    string('name').required(),
    morphToMany('contents', ['books', 'labels']).throughProperty('thing'),
  ],
})

const loans = defineResource(Loan, {
  type: 'loans',
  fields: ({ id, string, belongsTo }) => [
    id(),
    string('reader').required(),
    string('title').on('book').nullable(),
    string('name').on('book.shelf').nullable(),
    belongsTo('book', 'books'),
  ],
  filters: ({ whereThrough, whereHas }) => [whereThrough('book.title'), whereHas('book')],
})

export const leakLibrary: readonly DeclaredResource[] = makeFilterable(
  [shelves, books, tags, labels, lists, boxes, loans].map((resource) => ({
    file: 'test/template/authorization/leaks-library/library.ts',
    resource,
  })),
)

class TrashPolicy extends Policy {
  restore = () => true
  forceDelete = () => true
}

/** The same types with soft deletes. */
export const softLibrary: readonly DeclaredResource[] = leakLibrary.map(({ file, resource }) => {
  const declaration = { ...resource.declaration, softDeletes: { property: 'removedAt' as never }, policy: TrashPolicy }
  return { file, resource: { ...resource, declaration } }
})

class HistoryPolicy extends Policy {
  viewHistory = () => true
}

/** The same types with a history. */
export const recordedLibrary: readonly DeclaredResource[] = leakLibrary.map(({ file, resource }) => {
  const declaration = { ...resource.declaration, changes: true, history: true, policy: HistoryPolicy }
  return { file, resource: { ...resource, declaration } }
})

const red = '11111111-1111-4111-8111-111111111111'
const blue = '22222222-2222-4222-8222-222222222222'

/** Inserts rows of every type, linked with each other. */
export async function fillLeakLibrary(database: Database): Promise<void> {
  await emptyLibraryTables(database)
  const connection = database.orm.em.getConnection()
  for (const sql of [
    `insert into shelves (name) values ('Fiction'), ('Poetry'), ('Empty')`,
    `insert into books (title, shelf_id) values ('Ulysses', 1), ('Emma', 1), ('Howl', 2), ('Kaddish', 2)`,
    `insert into labels (text, shelf_id) values ('A to K', 1), ('L to Z', 2), ('Loose', null)`,
    `insert into tags (id, name) values ('${red}', 'red'), ('${blue}', 'blue')`,
    `insert into book_tags (book_id, tag_id) values (1, '${red}'), (2, '${red}'), (3, '${blue}'), (1, '${blue}')`,
    `insert into reading_lists (name) values ('Soon'), ('Later')`,
    `insert into list_entries (list_id, book_id, place) values (1, 1, 1), (1, 2, 2), (2, 3, 1)`,
    `insert into boxes (name) values ('Attic'), ('Cellar')`,
    `insert into box_items (box_id, thing_type, thing_id, position)
       values (1, 'books', 1, 1), (1, 'labels', 1, 2), (2, 'books', 3, 1)`,
    `insert into loans (reader, book_id) values ('Ada', 1), ('Zoe', 2), ('Bob', 3), ('Eve', null)`,
  ]) {
    await connection.execute(sql)
  }
}
