import { expect } from 'chai'
import { defineResource, defineType } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { buildApp } from '#test/support/app.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'
import type { DeclaredFilter, FilterBuilders } from './index.ts'

type Declare = (builders: FilterBuilders<Book, string>) => readonly unknown[]

describe('Boot fails when a filter', () => {
  /** Returns the boot faults of the filters of books; none if the application starts. */
  const faultsOf = async (filters: Declare) => listBootFaults(() => declare({ books: filters }))
  const expectFault = async (filters: Declare, ...messages: string[]) =>
    expect(await faultsOf(filters)).to.deep.equal(messages.map((message) => `books.filters (books.ts): ${message}`))

  it('reads a property that does not exist or is a relation', async () => {
    await expectFault(
      ({ where, range, whereNull }) => [where('titel' as never), range('r', 'shelf' as never), whereNull('x' as never)],
      "The filter 'titel' reads 'titel', which is not a property of Book. Did you mean 'title'?",
      "The filter 'r' reads 'shelf', which is not a property of Book.",
      "The filter 'x' reads 'x', which is not a property of Book.",
    )
  })

  it('reads a relation that does not exist or is an attribute', async () => {
    await expectFault(
      ({ whereHas, whereIdIn, whereHasMatching }) => [
        whereHas('shelves' as never),
        whereIdIn('i', 'title' as never),
        whereHasMatching('m', 'nope' as never, {}),
      ],
      "The filter 'shelves' reads 'shelves', which is not a relation of 'books'.",
      "The filter 'i' reads 'title', which is not a relation of 'books'.",
      "The filter 'm' reads 'nope', which is not a relation of 'books'.",
    )
  })

  it('has a path without a relation, through an undeclared relation, or to an unknown property', async () => {
    await expectFault(
      ({ whereThrough }) => [
        whereThrough('shelf' as never),
        whereThrough('shelf.nope' as never),
        whereThrough('shelf.label.text' as never),
        whereThrough('tags.books.nope' as never),
      ],
      "The filter 'shelf' has the path 'shelf', which contains no relation: write 'relation.property'.",
      "The filter 'shelf.nope' reads 'nope', which is not a property of Shelf.",
      "The filter 'shelf.label.text' reads 'label', which is not a relation of 'shelves'.",
      "The filter 'tags.books.nope' reads 'nope', which is not a property of Book.",
    )
  })

  it('reads a polymorphic relation', async () => {
    const faults = await listBootFaults(() => [
      ...declare({}),
      standalone(({ whereHas }) => [whereHas('items' as never)]),
    ])
    expect(faults).to.deep.equal([
      "notes.filters (notes.ts): The filter 'items' reads 'items', which is a polymorphic relation.",
    ])
  })

  it('has an operator that its builder does not accept', async () => {
    await expectFault(
      ({ greaterThan, numeric }) => [withOperator(greaterThan('position'), '<'), withOperator(numeric('rating'), '>')],
      "The filter 'position' is a greaterThan(): it cannot have the operator '<'.",
      "The filter 'rating' is a numeric(): it cannot have the operator '>'.",
    )
  })

  it('has an unknown operator', async () => {
    await expectFault(
      ({ where }) => [where('title', 'title', '~' as never)],
      "The filter 'title' has the unknown operator '~'. Operators: = != > >= < <= like starts ends.",
    )
  })

  it('is custom without a condition, or names an unknown handler or property', async () => {
    await expectFault(
      ({ custom }) => [custom('q'), custom('s').handledBy('seek'), custom('t').handledBy('search', 'nope' as never)],
      "The filter 'q' is custom: it needs condition() or handledBy().",
      "The filter 's' names the handler 'seek', which is not passed to filtering({ handlers }).",
      "The filter 't' reads 'nope', which is not a property of Book.",
    )
  })

  it('is part of a group and has a default', async () => {
    await expectFault(
      ({ whereAny, contains }) => [whereAny('some', contains('title').default('x'))],
      "The filter 'title' is part of a group: call default(), singular() and availableWhen() on the group.",
    )
  })

  it('is a group without filters, or with an invalid one', async () => {
    await expectFault(
      ({ whereAny, whereAll, contains }) => [whereAny('none'), whereAll('some', contains('nope' as never) as never)],
      "The filter 'none' is a group without filters: pass at least one.",
      "The filter 'nope' reads 'nope', which is not a property of Book.",
    )
  })

  it('has an empty key or a key with brackets', async () => {
    await expectFault(
      ({ where }) => [where('a[b]', 'title'), where('', 'title')],
      "The filter 'a[b]' needs a key without brackets.",
      "The filter '' needs a key without brackets.",
    )
  })

  it('is singular and compares a range', async () => {
    await expectFault(
      ({ contains, range }) => [contains('title'), callUntyped(range('rating'), 'singular')],
      "The filter 'rating' is a range(): it cannot be singular.",
    )
  })

  it('has a default or a fixed value that its column cannot hold', async () => {
    await expectFault(
      ({ where, whereIn }) => [where('position').default('three'), whereIn('rating').fixed(['x', 1])],
      "The declared value of the filter 'position' cannot be 'three'; accepted: an integer from -2147483648 to 2147483647.",
      "The declared value of the filter 'rating' cannot be 'x'; accepted: a number, for example 12.5.",
    )
  })

  it('reads a pivot field that does not exist', async () => {
    await expectFault(
      ({ where }) => [where('place', 'pivot.place')],
      "The filter 'place' reads 'pivot.place', but a type has no pivot field 'place'.",
    )
    const faults = await listBootFaults(() =>
      declare({ related: ({ where }) => [where('x', 'pivot.nope'), where('y', 'nope')] }),
    )
    expect(faults).to.deep.equal([
      "lists.books (lists.ts): The filter 'x' reads 'pivot.nope', but the relation has no pivot field 'nope'.",
      "lists.books (lists.ts): The filter 'y' reads 'nope', which is not a property of Book.",
    ])
  })

  it('is declared on a polymorphic relation', async () => {
    const faults = await listBootFaults(() => [...declare({}), standalone(() => [], true)])
    expect(faults).to.deep.equal(['notes.items (notes.ts): A polymorphic relation cannot have filters.'])
  })
})

function declare({ books = () => [], related = () => [] }: { books?: Declare; related?: Declare }) {
  const declared = [
    defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo, belongsToMany }) => [
        id(),
        string('title'),
        belongsTo('shelf', 'shelves'),
        belongsToMany('tags', 'tags'),
      ],
      filters: books as () => readonly DeclaredFilter[],
    }),
    defineResource(Shelf, { type: 'shelves', fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')] }),
    defineResource(Tag, { type: 'tags', fields: ({ id, belongsToMany }) => [id(), belongsToMany('books', 'books')] }),
    defineResource(ReadingList, {
      type: 'lists',
      fields: ({ id, belongsToMany }) => [
        id(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer }) => [integer('place')])
          .withFilters(related as () => readonly DeclaredFilter[]),
      ],
    }),
  ]
  return declared.map((resource): DeclaredResource => ({ file: `${resource.declaration.type}.ts`, resource }))
}

interface Note {
  readonly id: string
  readonly book: string
}

function standalone(
  filters: (builders: FilterBuilders<Note>) => readonly unknown[],
  withRelationFilters = false,
): DeclaredResource {
  const resource = defineType<Note>({
    type: 'notes',
    serializer: { attributes: { book: ({ book }) => book } },
    provider: memoryProvider([{ id: '1', book: '1' }]),
    operations: ['FetchCollection'],
    relations: ({ belongsTo, morphTo }) => [
      belongsTo('owner' as never, 'books').storedAs('book' as never),
      withRelationFilters
        ? morphTo('items' as never, ['books', 'tags']).withFilters(() => [{ filter: {} } as never])
        : morphTo('items' as never, ['books', 'tags']),
    ],
    filters: filters as () => readonly DeclaredFilter[],
  })
  return { file: 'notes.ts', resource }
}

/** Calls a builder method that the types reject. */
function callUntyped(filter: unknown, method: string, ...args: unknown[]): unknown {
  return (filter as Record<string, (...args: unknown[]) => unknown>)[method]?.(...args)
}

function withOperator(filter: unknown, operator: string): unknown {
  return callUntyped(filter, 'operator', operator)
}

async function listBootFaults(resources: () => readonly DeclaredResource[]): Promise<readonly string[]> {
  try {
    const servers = { default: {} }
    await (await buildApp({ resources: resources(), servers, database: await libraryDatabase() })).close()
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message.split('\n')
  }
}
