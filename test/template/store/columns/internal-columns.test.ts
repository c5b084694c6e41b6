import { expect } from 'chai'
import { defineResource } from '#kernel'
import { cursor } from '#plugins/pagination/index.ts'
import type { TestApp } from '#test/support/app.ts'
import { redTag } from '#test/template/support/library/cards.ts'
import { Book, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Rows have columns that only the store reads: `#parent`, `#version`, `#total`, `#row`, `#in-write-scope` and `#k0`. Relations may have
// the same names.
const names = ['parent', 'version', 'total', 'row', 'in-write-scope', 'k0'] as const
const paths = [
  '/books/101',
  '/books',
  '/books?sort=title&page[size]=1',
  '/shelves/101/books',
  '/shelves/101/books?sort=title&page[size]=1',
  '/shelves/101?include=books',
  '/shelves?include=books',
  `/tags/${redTag}/books`,
  '/tags?include=books',
]

describe('Relations that are named like an internal column', () => {
  let library: TestApp
  before(async () => {
    const books = defineResource(Book, {
      type: 'books',
      fields: ({ id, string, belongsTo }) => [
        id(),
        string('title').sortable(),
        ...names.map((name) => belongsTo(name, 'shelves').storedAs('shelf').withData()),
      ],
      policy: 'open',
      pagination: () => cursor({ size: 5 }),
    })
    const shelves = defineResource(Shelf, {
      type: 'shelves',
      fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books').countable()],
      policy: 'open',
    })
    const tags = defineResource(Tag, {
      type: 'tags',
      fields: ({ id, string, belongsToMany }) => [id(), string('name'), belongsToMany('books', 'books')],
      policy: 'open',
    })
    library = await startLibrary({
      resources: [books, shelves, tags].map((resource) => ({ file: 'test', resource })),
      undescribed: ['default', 'admin'],
    })
    await emptyLibrary()
    const execute = async (sql: string) => (await libraryDatabase()).orm.em.getConnection().execute(sql)
    await execute("insert into shelves (id, name) values (101, 'Novels')")
    await execute("insert into books (id, title, shelf_id) values (201, 'Emma', 101), (101, 'Persuasion', 101)")
    await execute(`insert into tags (id, name) values ('${redTag}', 'red')`)
    await execute(`insert into book_tags (book_id, tag_id) values (101, '${redTag}'), (201, '${redTag}')`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const path of paths) {
    it(`have their own linkage in ${path}`, async () => {
      const { status, body, text } = await library.client.get(path)
      expect(status, text).to.equal(200)
      const resources = [body.data, body.included ?? []].flat().filter(({ type }) => type === 'books')
      expect(resources).not.to.have.length(0)
      for (const { relationships } of resources) {
        for (const name of names) {
          expect(relationships[name].data, name).to.deep.equal({ type: 'shelves', id: '101' })
        }
      }
    })
  }
})
