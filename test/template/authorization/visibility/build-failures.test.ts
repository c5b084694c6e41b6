import { expect } from 'chai'
import { defineResource, type Resource, type ResourceDeclaration } from '#kernel'
import { BootError } from '#kernel/plugin'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import { Specimen } from '#test/template/support/library/specimens.ts'

type Declaration = Partial<ResourceDeclaration<Book>>

const books = (declaration: Declaration) =>
  defineResource(Book, {
    type: 'books',
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('title'),
      string('secret').hidden(),
      belongsTo('shelf', 'shelves').hidden(),
      belongsToMany('tags', 'tags').hidden((book) => book.position === 1),
    ],
    ...declaration,
  })

async function bootFailures(...resources: readonly Resource[]): Promise<readonly string[]> {
  const error = await startLibrary({ resources: libraryWith(...resources) }).then(
    (app) => app.close(),
    (thrown: unknown) => thrown,
  )
  if (error && !(error instanceof BootError)) throw error
  return error ? (error as BootError).message.split('\n').map((line) => line.replace(/^[-\s]+/, '')) : []
}

const filtered = (key: string, field: string, word = 'hidden()') =>
  `books.filters (test/template/specification): The filter '${key}' reads '${field}', which is ${word}. Use hiddenFor(fn) instead.`

describe('The application does not start', () => {
  const sorts: Record<string, Declaration> = {
    'hidden()': { fields: ({ id, string }) => [id(), string('secret').hidden().sortable()] },
    'hidden(fn)': {
      fields: ({ id, string }) => [
        id(),
        string('secret')
          .sortable()
          .hidden((book) => book.position > 1),
      ],
    },
    'writeOnly()': { fields: ({ id, string }) => [id(), string('secret').writeOnly().sortable()] },
    'writeOnly(fn)': {
      fields: ({ id, string }) => [
        id(),
        string('secret')
          .writeOnly(() => false)
          .sortable(),
      ],
    },
  }
  for (const [word, declaration] of Object.entries(sorts)) {
    it(`when a field is ${word} and sortable()`, async () => {
      expect(await bootFailures(books(declaration))).to.deep.equal([
        `books.secret (test/template/specification): A field with ${word.replace('fn', '')} cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.`,
      ])
    })
  }

  it('when a sort reads a hidden property, by name or by handler', async () => {
    const fault = (key: string) =>
      `books.${key} (test/template/specification): The sort '${key}' uses 'secret', which is hidden(): it cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.`
    const declaration: Declaration = {
      sorts: { a: 'secret', b: { handler: (descending) => [{ property: 'secret', descending }] } },
    }
    expect(await bootFailures(books(declaration))).to.deep.equal([fault('a'), fault('b')])
  })

  it('when a filter reads a hidden property or relation', async () => {
    const declaration: Declaration = {
      filters: (builders) => [
        builders.where('where', 'secret'),
        builders.contains('contains', 'secret'),
        builders.whereNull('null', 'secret'),
        builders.whereIn('in', 'secret'),
        builders.whereAny('any', builders.where('title'), builders.where('inner', 'secret')),
        builders.custom('words').handledBy('search', 'title', 'secret'),
        builders.whereHas('has', 'shelf'),
        builders.whereIdIn('id', 'shelf'),
        builders.whereThrough('through', 'shelf.name'),
        builders.whereHas('tags'),
      ],
    }
    expect(await bootFailures(books(declaration))).to.deep.equal([
      ...['where', 'contains', 'null', 'in', 'inner', 'words'].map((key) => filtered(key, 'secret')),
      ...['has', 'id', 'through'].map((key) => filtered(key, 'shelf')),
      filtered('tags', 'tags'),
    ])
  })

  it('when a filter of another type ends at a hidden property, or a filter of a relation reads one', async () => {
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [
        id(),
        string('name'),
        hasMany('books', 'books')
          .withFilters(({ where }) => [where('secret')])
          .withSorts({ hush: 'secret' }),
      ],
      filters: ({ whereThrough }) => [whereThrough('far', 'books.secret')],
    })
    expect(await bootFailures(books({}), shelves)).to.have.members([
      "shelves.filters (test/template/specification): The filter 'far' reads 'secret', which is hidden(). Use hiddenFor(fn) instead.",
      "shelves.books (test/template/specification): The filter 'secret' reads 'secret', which is hidden(). Use hiddenFor(fn) instead.",
      "shelves.books (test/template/specification): The sort 'hush' uses 'secret', which is hidden(): it cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.",
    ])
  })

  it('when a filter reads a hidden pivot field', async () => {
    const lists = defineResource(ReadingList, {
      type: 'lists',
      fields: ({ id, belongsToMany }) => [
        id(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer, string }) => [
            integer('place').writeOnly(),
            string('note').hidden((entry) => entry.place > 1),
          ])
          .withFilters(({ where }) => [where('place', 'pivot.place'), where('note', 'pivot.note')]),
      ],
    })
    expect(await bootFailures(books({}), lists)).to.deep.equal([
      "lists.books (test/template/specification): The filter 'place' reads 'place', which is writeOnly(). Use hiddenFor(fn) instead.",
      "lists.books (test/template/specification): The filter 'note' reads 'note', which is hidden(). Use hiddenFor(fn) instead.",
    ])
  })

  it('when a child of a map is hidden and its property is filtered by, or an obj with a hidden child is sortable()', async () => {
    const specimens = defineResource(Specimen, {
      type: 'specimens',
      fields: ({ id, string, map, obj }) => [
        id(),
        map('facts', string('text').hidden()),
        obj('extra', string('open'), string('secret').hidden()).storedAs('json').sortable(),
      ],
      filters: ({ where }) => [where('text')],
    })
    expect(await bootFailures(specimens)).to.have.members([
      "specimens.filters (test/template/specification): The filter 'text' reads 'text', which is hidden(). Use hiddenFor(fn) instead.",
      'specimens.extra (test/template/specification): A field with hidden() cannot be sorted by, because the order shows its values. Use hiddenFor(fn) instead.',
    ])
  })
})

describe('The application starts', () => {
  it('when another field shows the property unchanged', async () => {
    const declaration: Declaration = {
      fields: ({ id, string }) => [id(), string('title').sortable(), string('alias').storedAs('title').hidden()],
      filters: ({ where }) => [where('title')],
      sorts: { byTitle: 'title' },
    }
    expect(await bootFailures(books(declaration))).to.deep.equal([])
  })

  it('when hiddenFor(fn) is combined with sortable() and filters', async () => {
    const declaration: Declaration = {
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('secret')
          .sortable()
          .hiddenFor(() => true),
        belongsTo('shelf', 'shelves').hiddenFor(() => true),
      ],
      filters: ({ where, whereHas }) => [where('secret'), whereHas('shelf')],
    }
    expect(await bootFailures(books(declaration))).to.deep.equal([])
  })
})
