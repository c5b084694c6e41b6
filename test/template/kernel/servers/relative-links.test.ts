import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, startLibrary } from '#test/template/support/library/index.ts'

describe('A server with relativeLinks', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    library = await startLibrary({ servers: { default: { prefix: '/v1', relativeLinks: true } } })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('writes links and Location that begin with the path, and serves them', async () => {
    const { client } = library
    const shelf = { data: { type: 'shelves', attributes: { name: 'left' } } }
    const { status, headers } = await client.post('/v1/shelves', shelf)
    expect([status, headers.get('location')]).to.deep.equal([201, '/v1/shelves/1'])
    for (const name of ['second', 'third']) {
      await client.post('/v1/shelves', { data: { type: 'shelves', attributes: { name } } })
    }
    const { text, body } = await client.get('/v1/shelves?page[size]=2')
    expect(text).not.to.include('http://127.0.0.1')
    expect(body.data[0].links.self).to.equal('/v1/shelves/1')
    expect(body.data[0].relationships.books.links.related).to.equal('/v1/shelves/1/books')
    for (const link of [body.links.next, body.data[0].links.self, body.data[0].relationships.books.links.related]) {
      expect((await client.get(link)).status, link).to.equal(200)
    }
  })

  it('accepts the links in the href of a batch', async () => {
    const type = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    const operations = [{ op: 'remove', href: '/v1/shelves/1' }]
    const sent = { headers: { 'content-type': type, accept: type }, body: { 'atomic:operations': operations } }
    expect((await library.client.send('POST', '/v1/operations', sent)).status).to.equal(204)
  })

  it('cannot have a base URI', async () => {
    const servers = { default: { baseUri: 'https://example.com', relativeLinks: true } }
    const error = await startLibrary({ servers }).catch((caught: Error) => caught)
    expect((error as Error).message).to.include('it has a base URI, so its links cannot be relative.')
  })
})
