import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { Orm } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { readCatalog } from '../../scripts/support/catalog.ts'
import { unindexedLookups } from '../../scripts/support/missing-indexes.ts'

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, integer, dateTime, belongsTo, belongsToMany }) => [
    id(),
    string('title').filterable(),
    integer('position').filterable(),
    dateTime('printedAt').nullable().filterable(),
    string('pages').nullable(),
    belongsTo('shelf', 'shelves').filterable(),
    belongsToMany('tags', 'tags').filterable(),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, hasMany }) => [id(), hasMany('books', 'books')],
})
const tags = defineResource(Tag, { type: 'tags', server: 'admin', fields: ({ id, string }) => [id(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id }) => [id()] })
const resources = [books, shelves, tags, labels].map(
  (resource): DeclaredResource => ({ file: `${resource.declaration.type}.ts`, resource }),
)

describe('filter-expressions', () => {
  let running: TestApp
  before(async () => {
    running = await startLibrary({ resources, plugins: pluginsWithExpressions })
  })
  after(() => running.close())

  // biome-ignore lint/suspicious/noExplicitAny: the test reads a document without types
  const parametersOf = async (path: string): Promise<any[]> => {
    const { text } = await running.client.get('/docs.json', { accept: 'application/json' })
    return JSON.parse(text).paths[path].get.parameters.filter(({ name }: { name: string }) => name === 'filter[where]')
  }

  it('describes the parameter of collections, related resources and linkage in OpenAPI, with names and operators', async () => {
    for (const path of ['/books', '/shelves/{id}/books', '/shelves/{id}/relationships/books']) {
      const [parameter, ...others] = await parametersOf(path)
      expect(others).to.deep.equal([])
      expect(parameter.schema).to.deep.equal({ type: 'string', maxLength: 2000 })
      expect(parameter['x-filterable'].attributes.position).to.deep.equal([
        'eq',
        'ne',
        'in',
        'null',
        'gt',
        'ge',
        'lt',
        'le',
      ])
      expect(Object.keys(parameter['x-filterable'].attributes)).to.deep.equal(['id', 'title', 'position', 'printedAt'])
      expect(parameter['x-filterable'].relations).to.deep.equal(['shelf'])
      expect(parameter.description).to.include('- `shelf` (shelves): has').and.not.include('tags')
    }
  })

  it('describes no parameter of types without filterable fields, and of single resources', async () => {
    for (const path of ['/shelves', '/books/{id}', '/labels']) expect(await parametersOf(path), path).to.deep.equal([])
  })

  it('writes the filterable fields into the types of the client', async () => {
    const { text } = await running.client.get('/client-types.d.ts', { accept: '*/*' })
    expect(text).to.include(
      "readonly filterable: { readonly title: 'text'; readonly position: 'ordered'; readonly printedAt: 'ordered'; readonly shelf: 'relation' }",
    )
    expect(text).not.to.match(/readonly where\?/)
  })

  it('reports filterable attributes without an index to npm run doctor', async () => {
    const { orm } = await libraryDatabase()
    const catalog = await readCatalog(orm as Orm)
    const found = unindexedLookups(running.app, orm as Orm, catalog).map(({ usedBy }) => usedBy)
    expect(found).to.include.members(['books?filter[where]: title', 'books?filter[where]: position'])
    expect(found.join()).not.to.include('pages')
  })
})
