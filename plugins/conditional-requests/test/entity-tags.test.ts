import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/support/library/index.ts'

describe('The plugin conditional-requests', () => {
  let library: TestApp
  before(async () => {
    library = await startLibrary()
  })
  beforeEach(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    const connection = orm.em.getConnection()
    await connection.execute(`insert into shelves (id, name) values (1, 'Fiction'), (2, 'Poetry')`)
    await connection.execute(`insert into books (id, title, shelf_id) values (1, 'Emma', 1), (2, 'Persuasion', 1)`)
    await connection.execute(`select setval(pg_get_serial_sequence('shelves', 'id'), 100)`)
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('smoke', async () => {
    const { client } = library
    const one = await client.get('/shelves/1')
    console.log(one.headers.get('etag'), one.headers.get('vary'))
    const etag = one.headers.get('etag') as string
    const again = await client.get('/shelves/1', { 'if-none-match': etag })
    console.log(again.status, Object.fromEntries(again.headers))
    const patch = (headers: Record<string, string>) =>
      client.patch('/shelves/1', { data: { type: 'shelves', id: '1', attributes: { name: `x${Math.random()}` } } }, headers)
    const p1 = await patch({ 'if-match': etag })
    console.log(p1.status, p1.headers.get('etag'))
    const p2 = await patch({ 'if-match': etag })
    console.log(p2.status, p2.text)
    const rel = await client.get('/shelves/1/relationships/books')
    console.log(rel.status, rel.headers.get('etag'))
    const profile = 'application/vnd.api+json; profile="urn:jsonapi:profile:versions"'
    const all = await client.get('/shelves?include=allBooks', { accept: profile })
    console.log(all.text)
    console.log((await client.get('/shelves/1/relationships/books', { accept: profile })).text)
  })
})
