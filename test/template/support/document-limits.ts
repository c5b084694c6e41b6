import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { defineResource, defineType, type Provider } from '#kernel'
import type { AppConfig } from '#kernel/plugin'
import { memoryStore } from '#memory'
import { page } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { Box } from './library/boxes.ts'
import { Book, Label, Shelf, Tag } from './library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from './library/index.ts'
import { ListEntry, ReadingList } from './library/lists.ts'

// A library with every kind of relation to related resources, and applications over it with small limits.

type Limits = Partial<Record<'resources' | 'identifiers' | 'characters', number>>

const defaults = appConfig(readConfig({ NODE_ENV: 'test' }, pluginVariables(plugins, {}))).variables

/** A configuration with these limits in place of the defaults. */
export function configWith({ resources, identifiers, characters }: Limits): Pick<AppConfig, 'variables'> {
  const limits = {
    ...(resources !== undefined && { MAX_DOCUMENT_RESOURCES: resources }),
    ...(identifiers !== undefined && { MAX_DOCUMENT_IDENTIFIERS: identifiers }),
    ...(characters !== undefined && { MAX_DOCUMENT_CHARACTERS: characters }),
  }
  return { variables: { ...defaults, ...limits } }
}

/** Starts an application with these limits, runs the function against it and closes it. */
export async function withLimits<T>(
  limits: Limits,
  run: (library: TestApp) => Promise<T>,
  options: Pick<TestAppOptions, 'plugins'> = {},
): Promise<T> {
  const app = await startLibrary({ ...options, resources: resources(), config: configWith(limits) })
  try {
    return await run(app)
  } finally {
    await app.close()
  }
}

export const tagIds = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const

/** Shelf 1 has books 1 to 3 with both tags, shelf 2 has books 4 and 5, shelf 3 has book 6. */
export async function fillShelves(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.insertMany(
    Shelf,
    [1, 2, 3].map((id) => ({ id, name: `Shelf ${id}` })),
  )
  await em.insertMany(
    Book,
    [1, 1, 1, 2, 2, 3].map((shelf, index) => ({ id: index + 1, title: `Book ${index + 1}`, shelf })),
  )
  await em.insertMany(
    Tag,
    tagIds.map((id, index) => ({ id, name: `Tag ${index}` })),
  )
  await em.insertMany(Label, [{ id: 1, text: 'A', shelf: 1 }])
  await em.insertMany(
    Box,
    [1, 2].map((id) => ({ id, name: `Box ${id}` })),
  )
  await em.insertMany(ReadingList, [{ id: 1, name: 'List' }])
  await em.insertMany(
    ListEntry,
    [1, 2, 3].map((book) => ({ id: book, list: 1, book, place: book })),
  )
  const statements = [
    `insert into book_tags (book_id, tag_id) select b, t::uuid
      from generate_series(1, 3) b, (values ('${tagIds[0]}'), ('${tagIds[1]}')) v (t)`,
    `insert into box_items (id, box_id, thing_type, thing_id, position) values
      (1, 1, 'books', 1, 1), (2, 1, 'books', 2, 2), (3, 1, 'labels', 1, 3), (4, 2, 'books', 1, 1)`,
    "select setval(pg_get_serial_sequence(t, 'id'), 100) from (values ('shelves'), ('books'), ('box_items')) v (t)",
  ]
  for (const statement of statements) await em.execute(statement)
}

/** A provider that delegates to the store, as one of an author may. */
const delegating: Provider = {
  one: (type, key, query, context, options) => context.app.store.provider.one(type, key, query, context, options),
  many: (type, keys, query, context) => context.app.store.provider.many(type, keys, query, context),
  collection: (type, query, context) => context.app.store.provider.collection(type, query, context),
  count: (type, query, context) => context.app.store.provider.count(type, query, context),
  related: (relation, parents, query, context) => context.app.store.provider.related(relation, parents, query, context),
}

interface Note {
  id: string
  books: number[]
}

function resources() {
  return declared(
    defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [
        id(),
        string('name').required(),
        hasMany('books', 'books').withoutPagination(),
        hasMany('pagedBooks', 'books')
          .storedAs('books')
          .paginate(page({ size: 2 })),
      ],
      pagination: () => null,
    }),
    defineResource(Shelf, {
      type: 'wings',
      fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')],
      pagination: () => null,
      provider: delegating,
    }),
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo, belongsToMany }) => [
        id(),
        string('title').required(),
        belongsTo('shelf', 'shelves'),
        belongsToMany('tags', 'tags'),
      ],
      pagination: () => page({ size: 10, max: 0 }),
    }),
    defineResource(Book, {
      type: 'volumes',
      fields: ({ id, belongsToMany }) => [id(), belongsToMany('tags', 'tags')],
      defaultIncludes: ['tags'],
    }),
    defineResource(Book, {
      type: 'copies',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title').required(),
        belongsTo('shelf', 'shelves'),
        belongsTo('place', 'shelves').storedAs('shelf').readOnly(),
      ],
    }),
    defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string, belongsToMany }) => [id(), string('name').required(), belongsToMany('books', 'books')],
    }),
    defineResource(Tag, {
      type: 'marks',
      fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books').withData()],
    }),
    defineResource(Label, { type: 'labels', fields: ({ id }) => [id()] }),
    defineResource(Box, {
      type: 'boxes',
      fields: ({ id, morphToMany }) => [
        id(),
        morphToMany('contents', ['books', 'labels']).throughProperty('thing').withoutPagination(),
      ],
    }),
    defineResource(ReadingList, {
      type: 'lists',
      fields: ({ id, belongsToMany }) => [
        id(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer }) => [integer('place')]),
      ],
    }),
    defineType<Note>({
      type: 'notes',
      operations: ['FetchCollection', 'FetchOne'],
      fields: ({ id, hasMany }) => [id(), hasMany('books', 'books').withoutPagination()],
      pagination: () => null,
      ...memoryStore([
        { id: '1', books: [1, 2, 3] },
        { id: '2', books: [1, 2] },
      ]),
    }),
  )
}
