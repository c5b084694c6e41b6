import { defineResource } from '#kernel'
import { cursor, menu, offset, page } from '#plugins/pagination/index.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'

// The library with every kind of pagination, and filters with their negations.

const books = defineResource(Book, {
  type: 'books',
  countable: true,
  fields: ({ id, string, integer, decimal, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').required().sortable(),
    integer('position').sortable(),
    decimal('rating').nullable().sortable(),
    dateTime('printedAt').nullable().sortable(),
    belongsTo('shelf', 'shelves'),
    belongsToMany('tags', 'tags').countable(),
  ],
  sorts: { size: 'pages' },
  filters: (builders) => [
    builders.where('title'),
    builders.where('otherTitle', 'title', '!='),
    builders.where('rating'),
    builders.where('otherRating', 'rating', '!='),
    builders.whereNull('unrated', 'rating'),
    builders.whereNotNull('rated', 'rating'),
    builders.greaterThan('ratedAbove', 'rating'),
    builders.lessThanOrEqual('ratedUpTo', 'rating'),
    builders.greaterThanOrEqual('positionFrom', 'position'),
    builders.lessThan('positionBelow', 'position'),
    builders.whereIn('positions', 'position'),
    builders.whereNotIn('otherPositions', 'position'),
    builders.whereIn('ratings', 'rating'),
    builders.whereNotIn('otherRatings', 'rating'),
    builders.whereIdIn('ids', 'id'),
    builders.whereIdNotIn('otherIds', 'id'),
    builders.whereIdIn('shelves', 'shelf'),
    builders.whereIdNotIn('otherShelves', 'shelf'),
    builders.whereHas('shelved', 'shelf'),
    builders.whereDoesntHave('unshelved', 'shelf'),
    builders.whereHas('tagged', 'tags'),
    builders.whereDoesntHave('untagged', 'tags'),
    builders.contains('text', 'title'),
  ],
  pagination: () => menu(page({ size: 50 }), offset({ size: 3 }), cursor({ size: 3 })),
})

const shelves = defineResource(Shelf, {
  type: 'shelves',
  countable: true,
  fields: ({ id, string, hasMany, hasOne }) => [
    id(),
    string('name').sortable(),
    hasMany('books', 'books')
      .paginate(menu(cursor({ size: 2 }), page({ size: 3 }), offset({ size: 3 })))
      .countable(),
    hasMany('whole', 'books').storedAs('books').withoutPagination(),
    hasOne('label', 'labels'),
  ],
})

const tags = defineResource(Tag, {
  type: 'tags',
  countable: true,
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').sortable(),
    belongsToMany('books', 'books')
      .paginate(page({ size: 2, withCount: true }))
      .withData()
      .countable(),
  ],
})

const labels = defineResource(Label, {
  type: 'labels',
  fields: ({ id, string, belongsTo }) => [id(), string('text'), belongsTo('shelf', 'shelves')],
})

const lists = defineResource(ReadingList, {
  type: 'lists',
  countable: true,
  fields: ({ id, string, belongsToMany }) => [
    id(),
    string('name').sortable(),
    belongsToMany('books', 'books')
      .through(ListEntry)
      .fields(({ integer }) => [integer('place')])
      .countable(),
  ],
})

export const metamorphicResources = declared(books, shelves, tags, labels, lists)
