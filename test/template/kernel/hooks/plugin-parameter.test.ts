import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { startsWith } from '#test/template/support/starts-with.ts'

// The plugin of docs/plugins.md that adds a query parameter.

describe('A query parameter of a plugin', () => {
  let app: TestApp
  before(async () => {
    const { orm } = await libraryDatabase()
    await orm.em.fork().insertMany(Book, [{ title: 'Emma' }, { title: 'Emil' }, { title: 'Faust' }])
    const books = defineResource(Book, {
      type: 'books',
      startsWithProperty: 'title',
      fields: ({ id, string }) => [id(), string('title')],
    })
    const shelves = defineResource(Shelf, { type: 'shelves', fields: ({ id }) => [id()] })
    app = await startLibrary({
      plugins: [...plugins, startsWith()],
      resources: [books, shelves].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource })),
    })
  })
  after(async () => {
    await app.close()
    await emptyLibrary()
  })

  it('filters the collection', async () => {
    const { status, body } = await app.client.get('/books?startsWith=Em')
    expect(status).to.equal(200)
    expect(body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title)).to.have.members([
      'Emma',
      'Emil',
    ])
  })

  for (const path of ['/books?startsWith=', '/books?startsWith[a]=b', '/shelves?startsWith=A']) {
    it(`returns 400 with the accepted form for ${path}`, async () => {
      const { status, body } = await app.client.get(path)
      expect(status).to.equal(400)
      expect(body.errors[0]).to.include({ code: 'QUERY_PARAM_MALFORMED' })
      expect(body.errors[0].source).to.deep.equal({ parameter: 'startsWith' })
    })
  }
})
