import { expect } from 'chai'
import { defineResource, defineType } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { buildApp } from '#test/support/app.ts'
import { Book, Shelf, Tag } from '#test/support/library/entities.ts'
import { libraryDatabase } from '#test/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/support/library/lists.ts'
import type { DeclaredFilter, FilterBuilders } from './index.ts'

type Declare = (words: FilterBuilders<Book, string>) => readonly unknown[]

describe('A filter ends the start', () => {
  /** What is said about the filters of books; nothing when the application starts. */
  const faultsOf = async (filters: Declare) => messagesOf(() => declare({ books: filters }))
  const expectFault = async (filters: Declare, ...messages: string[]) =>
    expect(await faultsOf(filters)).to.deep.equal(messages.map((message) => `books.filters (books.ts): ${message}`))

  it('when its property does not exist, or is a relation', async () => {
    await expectFault(
      ({ where, range, whereNull }) => [where('titel' as never), range('r', 'shelf' as never), whereNull('x' as never)],
      "The filter 'titel' looks at 'titel', which is not a property of Book.",
      "The filter 'r' looks at 'shelf', which is not a property of Book.",
      "The filter 'x' looks at 'x', which is not a property of Book.",
    )
  })

  it('when its relation does not exist, or is an attribute', async () => {
    await expectFault(
      ({ whereHas, whereIdIn, whereHasMatching }) => [
        whereHas('shelves' as never),
        whereIdIn('i', 'title' as never),
        whereHasMatching('m', 'nope' as never, {}),
      ],
      "The filter 'shelves' looks at 'shelves', which is not a relation of 'books'.",
      "The filter 'i' looks at 'title', which is not a relation of 'books'.",
      "The filter 'm' looks at 'nope', which is not a relation of 'books'.",
    )
  })

  it('when its path leaves the declared relations, or ends nowhere', async () => {
    await expectFault(
      ({ whereThrough }) => [
        whereThrough('shelf' as never),
        whereThrough('shelf.nope' as never),
        whereThrough('shelf.label.text' as never),
        whereThrough('tags.books.nope' as never),
      ],
      "The filter 'shelf' has the path 'shelf', which does not lead over a relation.",
      "The filter 'shelf.nope' looks at 'nope', which is not a property of Shelf.",
      "The filter 'shelf.label.text' looks at 'label', which is not a relation of 'shelves'.",
      "The filter 'tags.books.nope' looks at 'nope', which is not a property of Book.",
    )
  })

  it('when it leads through a relation to several types', async () => {
    const faults = await messagesOf(() => [...declare({}), standalone(({ whereHas }) => [whereHas('things' as never)])])
    expect(faults).to.deep.equal([
      "notes.filters (notes.ts): The filter 'things' looks through 'things', which leads to several types.",
    ])
  })

  it('when a filter of the numeric family is given another operator', async () => {
    await expectFault(
      ({ greaterThan, numeric }) => [withOperator(greaterThan('position'), '<'), withOperator(numeric('rating'), '>')],
      "The filter 'position' is a greaterThan(): it cannot have the operator '<'.",
      "The filter 'rating' is a numeric(): it cannot have the operator '>'.",
    )
  })

  it('when its operator is none', async () => {
    await expectFault(
      ({ where }) => [where('title', 'title', '~' as never)],
      "The filter 'title' has the operator '~', which is none.",
    )
  })

  it('when it is custom, and nothing handles it', async () => {
    await expectFault(
      ({ custom }) => [custom('q'), custom('s').handledBy('seek'), custom('t').handledBy('search', 'nope' as never)],
      "The filter 'q' is custom: it needs condition() or handledBy().",
      "The filter 's' names the handler 'seek', which is not given to filtering({ handlers }).",
      "The filter 't' looks at 'nope', which is not a property of Book.",
    )
  })

  it('when a child of a group speaks of a key nobody sends', async () => {
    await expectFault(
      ({ whereAny, contains }) => [whereAny('some', contains('title').default('x'))],
      "The filter 'title' stands in a group: say default(), singular() and availableWhen() of the group.",
    )
  })

  it('when it groups nothing, or a child is wrong', async () => {
    await expectFault(
      ({ whereAny, whereAll, contains }) => [whereAny('none'), whereAll('some', contains('nope' as never) as never)],
      "The filter 'none' groups no filters.",
      "The filter 'nope' looks at 'nope', which is not a property of Book.",
    )
  })

  it('when its key cannot stand in a URL', async () => {
    await expectFault(
      ({ where }) => [where('a[b]', 'title'), where('', 'title')],
      "The filter 'a[b]' needs a key without brackets.",
      "The filter '' needs a key without brackets.",
    )
  })

  it('when it cannot be singular', async () => {
    await expectFault(
      ({ contains, range }) => [contains('title'), made(range('rating'), 'singular')],
      "The filter 'rating' is a range(): it cannot be singular.",
    )
  })

  it('when its preset value does not fit its column', async () => {
    await expectFault(
      ({ where, whereIn }) => [where('position').default('three'), whereIn('rating').fixed(['x', 1])],
      "The preset value of the filter 'position' cannot be 'three'.",
      "The preset value of the filter 'rating' cannot be 'x'.",
    )
  })

  it('when it looks at association rows that are not there', async () => {
    await expectFault(
      ({ where }) => [where('place', 'pivot.place')],
      "The filter 'place' looks at 'pivot.place', but a type has no pivot field 'place'.",
    )
    const faults = await messagesOf(() =>
      declare({ related: ({ where }) => [where('x', 'pivot.nope'), where('y', 'nope')] }),
    )
    expect(faults).to.deep.equal([
      "lists.books (lists.ts): The filter 'x' looks at 'pivot.nope', but the relation has no pivot field 'nope'.",
      "lists.books (lists.ts): The filter 'y' looks at 'nope', which is not a property of Book.",
    ])
  })

  it('when it stands on a relation to several types', async () => {
    const faults = await messagesOf(() => [...declare({}), standalone(() => [], true)])
    expect(faults).to.deep.equal(['notes.things (notes.ts): A relation that leads to several types takes no filters.'])
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
  filters: (words: FilterBuilders<Note>) => readonly unknown[],
  beforeRelationLoad = false,
): DeclaredResource {
  const resource = defineType<Note>({
    type: 'notes',
    serializer: { attributes: { book: ({ book }) => book } },
    provider: memoryProvider([{ id: '1', book: '1' }]),
    operations: ['FetchCollection'],
    relations: ({ belongsTo, morphTo }) => [
      belongsTo('owner' as never, 'books').storedAs('book' as never),
      beforeRelationLoad
        ? morphTo('things' as never, ['books', 'tags']).withFilters(() => [{ filter: {} } as never])
        : morphTo('things' as never, ['books', 'tags']),
    ],
    filters: filters as () => readonly DeclaredFilter[],
  })
  return { file: 'notes.ts', resource }
}

/** What a caller without the compiler could say. */
function made(filter: unknown, word: string, ...args: unknown[]): unknown {
  return (filter as Record<string, (...args: unknown[]) => unknown>)[word]?.(...args)
}

function withOperator(filter: unknown, operator: string): unknown {
  return made(filter, 'operator', operator)
}

async function messagesOf(resources: () => readonly DeclaredResource[]): Promise<readonly string[]> {
  try {
    const servers = { default: {} }
    await (await buildApp({ resources: resources(), servers, database: await libraryDatabase() })).close()
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message.split('\n')
  }
}
