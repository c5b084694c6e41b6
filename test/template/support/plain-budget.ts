import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { cursor, page } from '#plugins/pagination/index.ts'
import { relationshipQueriesProfileUri } from '#plugins/relationship-queries/index.ts'
import { mediaType } from '#test/support/client.ts'
import { Book, Label, Shelf, Tag } from './library/entities.ts'
import { emptyLibrary, libraryDatabase } from './library/index.ts'

// Reads of types without policies and hooks, and the statements that each sends.

export const windowed = { accept: `${mediaType}; profile="${relationshipQueriesProfileUri}"` }

/** Collections. */
export const collectionCosts: readonly [what: string, path: string, cost: number][] = [
  ['a collection', '/shelves', 1],
  ['a collection with a lazy to-many', '/shelves?fields[shelves]=books', 1],
  ['a sorted and filtered collection', '/shelves?sort=-name&filter[books]', 1],
  ['a counted collection', '/shelves?withCount=_self_', 2],
  ['an included to-many', '/shelves?include=books', 2],
  ['an included to-one on the other side', '/shelves?include=label', 2],
  ['an included to-one', '/books?include=shelf', 2],
  ['an included many-to-many', '/books?include=tags', 2],
  ['a path of two relations', '/shelves?include=books.tags', 3],
  ['a path that comes back', '/books?include=shelf.books', 3],
  ['two included relations', '/shelves?include=books,label', 3],
  ['a cursor page for each parent', '/shelves?include=latest', 2],
  ['cursor pages of two relations', '/shelves?include=latest,newest', 3],
  ['one counted relation', '/shelves?withCount=books', 2],
  ['one counted many-to-many', '/books?withCount=tags', 2],
  ['two counted relations', '/shelves?withCount=books,latest', 3],
  ['a counted collection and relation', '/shelves?withCount=_self_,books', 3],
  ['a counted and included relation', '/shelves?withCount=books&include=books', 3],
]

/** Collections with one page of a relation for each parent, with the header `windowed`. */
export const windowCosts: readonly [path: string, cost: number][] = [
  ['/shelves?include=books', 2],
  ['/shelves?include=books,latest', 3],
  ['/books?include=tags', 2],
  ['/shelves?include=books&relatedQuery[books][sort]=-title&relatedQuery[books][filter][title]=Book', 2],
]

/** Other reads. */
export const readCosts: readonly [path: string, most: number][] = [
  ['/shelves/1', 1],
  ['/shelves/1/books', 1],
  ['/shelves/1/latest', 1],
  ['/shelves/1/label', 1],
  ['/books/1/shelf', 2],
  ['/books/1/tags', 1],
  ['/shelves/1/books?sort=-title&filter[title]=Book&page[number]=2', 1],
  ['/shelves/1/relationships/books', 1],
  ['/shelves/1/relationships/latest?page[size]=1', 1],
  ['/books/1/relationships/tags', 1],
  ['/shelves/1/books?withCount=_self_', 3],
]

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo, belongsToMany }) => [
    id(),
    string('title').sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags')
      .paginate(page({ size: 2 }))
      .countable(),
  ],
  filters: ({ contains }) => [contains('title')],
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  countable: true,
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .paginate(page({ size: 2 }))
      .countable(),
    hasMany('latest', 'books')
      .storedAs('books')
      .paginate(cursor({ size: 2 }))
      .countable(),
    hasMany('newest', 'books')
      .storedAs('books')
      .paginate(cursor({ size: 1 })),
    hasOne('label', 'labels'),
  ],
  filters: ({ whereHas }) => [whereHas('books')],
})

const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name').sortable()] })

const shownTags = defineResource(Tag, {
  type: 'shown-tags',
  fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books').withData()],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

export const libraryWithoutPolicies: readonly DeclaredResource[] = [books, shelves, tags, shownTags, labels].map(
  (resource) => ({
    file: 'test/template/support/plain-budget.ts',
    resource,
  }),
)

/** 60 shelves with a label and three books each; every book has the same three tags. */
export async function fillShelves(): Promise<void> {
  await emptyLibrary()
  const em = (await libraryDatabase()).orm.em.fork()
  const ids = Array.from({ length: 60 }, (_, index) => index + 1)
  await em.insertMany(
    Shelf,
    ids.map((id) => ({ id, name: `Shelf ${id}` })),
  )
  await em.insertMany(
    Label,
    ids.map((id) => ({ id, text: `Label ${id}`, shelf: id })),
  )
  await em.insertMany(
    Book,
    ids.flatMap((shelf) => [0, 100, 200].map((step) => ({ id: shelf + step, title: `Book ${shelf + step}`, shelf }))),
  )
  await em.insertMany(
    Tag,
    [1, 2, 3].map((id) => ({ id: `00000000-0000-4000-8000-00000000000${id}`, name: `Tag ${id}` })),
  )
  await em.execute('insert into book_tags (book_id, tag_id) select b.id, t.id from books b, tags t')
}
