import { defineResource } from '#kernel'
import { cursor } from '#plugins/cursor-profile/index.ts'
import { menu, offset, page } from '#plugins/pagination/index.ts'
import { declared } from '#test/specification/library-app.ts'
import { Book, Label, Shelf, Tag } from '#test/support/library/entities.ts'
import { ListEntry, ReadingList } from '#test/support/library/lists.ts'

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
  filters: (words) => [
    words.where('title'),
    words.where('otherTitle', 'title', '!='),
    words.where('rating'),
    words.where('otherRating', 'rating', '!='),
    words.whereNull('unrated', 'rating'),
    words.whereNotNull('rated', 'rating'),
    words.greaterThan('ratedAbove', 'rating'),
    words.lessThanOrEqual('ratedUpTo', 'rating'),
    words.greaterThanOrEqual('positionFrom', 'position'),
    words.lessThan('positionBelow', 'position'),
    words.whereIn('positions', 'position'),
    words.whereNotIn('otherPositions', 'position'),
    words.whereIn('ratings', 'rating'),
    words.whereNotIn('otherRatings', 'rating'),
    words.whereIdIn('ids', 'id'),
    words.whereIdNotIn('otherIds', 'id'),
    words.whereIdIn('shelves', 'shelf'),
    words.whereIdNotIn('otherShelves', 'shelf'),
    words.whereHas('shelved', 'shelf'),
    words.whereDoesntHave('unshelved', 'shelf'),
    words.whereHas('tagged', 'tags'),
    words.whereDoesntHave('untagged', 'tags'),
    words.contains('text', 'title'),
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
