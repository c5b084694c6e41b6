import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource, type ResourceDeclaration } from '#kernel'
import { BootError, type DeclaredResource, type Plugin } from '#kernel/plugin'
import { open, Policy } from '#plugins/authorization/index.ts'
import { buildApp } from '#test/support/app.ts'
import { pluginsWithExpressions, withExpressions } from '#test/template/support/filterable.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { ListEntry, ReadingList } from '#test/template/support/library/lists.ts'

type Fields = ResourceDeclaration<Book>['fields']

describe('Boot fails when filterable()', () => {
  const expectFaults = async (fields: Fields, ...faults: string[]) =>
    expect(await listBootFaults(declare({ fields }))).to.deep.equal(faults.map((fault) => `books.${fault}`))

  it('is called on a hidden attribute or relation, or reads the property of a hidden attribute', async () => {
    await expectFaults(
      ({ id, string, belongsTo }) => [
        id(),
        string('title').hidden().filterable(),
        string('password').storedAs('pages').writeOnly().filterable(),
        string('shown')
          .storedAs('secret')
          .extractUsing(() => '***')
          .needs('secret')
          .filterable(),
        string('secret').nullable().hidden(),
        belongsTo('shelf', 'shelves').hidden().filterable(),
      ],
      'title (books.ts): filterable(): an attribute with hidden() cannot be filtered: a filter reveals its values. Use hiddenFor(fn) instead.',
      'password (books.ts): filterable(): an attribute with writeOnly() cannot be filtered: a filter reveals its values. Use hiddenFor(fn) instead.',
      "shown (books.ts): filterable(): it reads 'secret', which is hidden(). Use hiddenFor(fn) instead.",
      'shelf (books.ts): filterable(): a relation with hidden() cannot be filtered: a filter reveals its members. Use hiddenFor(fn) instead.',
    )
  })

  it('is called on an attribute without a column, of another resource, or of a kind without an order', async () => {
    await expectFaults(
      ({ id, string, arrayHash, obj, belongsTo }) => [
        id(),
        string('initial')
          .computedUsing(() => 'x')
          .filterable(),
        string('name').on('shelf').filterable(),
        arrayHash('pages').filterable(),
        obj('secret', string('part').filterable()),
        belongsTo('shelf', 'shelves'),
      ],
      'initial (books.ts): filterable(): the attribute has no column. Declare a custom filter.',
      "name (books.ts): filterable(): the value is in another resource. Make that attribute and the relation filterable: 'shelf.…'.",
      "pages (books.ts): filterable(): values of the kind 'arrayHash' cannot be compared. Declare a filter.",
      'part (books.ts): filterable(): only attributes of the resource itself can be filtered.',
    )
  })

  it('is called on a column of a join table or on a polymorphic relation', async () => {
    const lists = defineResource(ReadingList, {
      type: 'lists',
      fields: ({ id, belongsToMany }) => [
        id(),
        belongsToMany('books', 'books')
          .through(ListEntry)
          .fields(({ integer }) => [integer('place').filterable()]),
      ],
    })
    expect(await listBootFaults([...declare({}), { file: 'lists.ts', resource: lists }])).to.deep.equal([
      'lists.place (lists.ts): filterable(): only attributes of the resource itself can be filtered.',
    ])
  })

  it('is called on a relation with security(), or to a type whose policy hides rows one by one', async () => {
    class ViewPolicy extends Policy<Shelf> {
      static override readonly rowsByView = true
      override view = () => true
    }
    const fields: Fields = ({ id, belongsTo, belongsToMany }) => [
      id(),
      belongsTo('shelf', 'shelves').filterable(),
      belongsToMany('tags', 'tags').security({ read: 'view' }).filterable(),
    ]
    expect(await listBootFaults(declare({ fields, policy: open }, { policy: ViewPolicy }))).to.include.members([
      "books.shelf (books.ts): filterable(): 'shelves' is read, whose policy sets rowsByView.",
      'books.tags (books.ts): filterable(): a relation with security() cannot be filtered. Declare a filter with availableWhen().',
    ])
  })

  it('adds a filter whose key the type or a relation declares already', async () => {
    const fields: Fields = ({ id, string }) => [id(), string('title').filterable()]
    const filters: ResourceDeclaration<Book>['filters'] = ({ where }) => [where('where', 'title')]
    expect(await listBootFaults(declare({ fields, filters }))).to.deep.equal([
      "books.filters (books.ts): The filter 'where' is added by a plugin: choose another key.",
    ])
    const shelfFields: ResourceDeclaration<Shelf>['fields'] = ({ id, hasMany }) => [
      id(),
      hasMany('books', 'books').withFilters(({ where }) => [where('where', 'title')]),
    ]
    expect(await listBootFaults(declare({ fields }, { fields: shelfFields }))).to.deep.equal([
      "shelves.books (shelves.ts): The filter 'where' is added by a plugin: choose another key.",
    ])
  })

  it('has a key for a server that does not exist, or a key with brackets', async () => {
    expect(
      await listBootFaults(declare({}), withExpressions(plugins, { key: { default: 'a[b]', admn: 'q' } })),
    ).to.deep.equal([
      "filterExpressions.key (app/plugins.ts): 'admn' is not a server. Servers: default.",
      "filterExpressions.key (app/plugins.ts): 'a[b]' cannot be a key: write one without brackets.",
    ])
  })
})

function declare(
  bookKeys: Partial<ResourceDeclaration<Book>>,
  shelfKeys: Partial<ResourceDeclaration<Shelf>> = {},
): DeclaredResource[] {
  const declared = [
    defineResource(Book, { type: 'books', fields: ({ id }) => [id()], ...bookKeys }),
    defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()], ...shelfKeys }),
    defineResource(Tag, { type: 'tags', fields: ({ id }) => [id()] }),
    defineResource(Label, { type: 'labels', fields: ({ id }) => [id()] }),
  ]
  return declared.map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}

async function listBootFaults(
  resources: readonly DeclaredResource[],
  list: readonly Plugin[] = pluginsWithExpressions,
): Promise<readonly string[]> {
  try {
    const options = { resources, plugins: list, servers: { default: {} }, database: await libraryDatabase() }
    await (await buildApp(options)).close()
    return []
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return error.message.split('\n')
  }
}
