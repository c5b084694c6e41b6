import { expect } from 'chai'
import type { TestApp } from '#test/support/app.ts'
import { catalogue } from '#test/support/catalogue.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { fillLibrary, redTag } from '#test/template/specification/library-rows.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// Races of 50 requests for the same row: no lost update, no duplicate.

const fifty = Array.from({ length: 50 }, (_, index) => index)

describe('50 concurrent writes', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    library = await startLibrary()
    client = library.client
  })
  beforeEach(fillLibrary)
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  it('create one resource and return 409 to 49 requests when all have the same client id', async () => {
    const id = '00000000-0000-4000-8000-0000000000ff'
    const relationships = { books: { data: [{ type: 'books', id: '2' }] } }
    const create = (index: number) =>
      client.post('/tags', { data: { type: 'tags', id, attributes: { name: `tag ${index}` }, relationships } })
    const answers = await Promise.all(fifty.map(create))
    const [created, ...others] = answers.toSorted((one, other) => one.status - other.status) as [
      ClientResponse,
      ...ClientResponse[],
    ]
    expect(created.status).to.equal(201)
    expect(others.map(readFirstError)).to.deep.equal(Array(49).fill([409, '/data/id']))
    expect(await rows(`select name from tags where id = '${id}'`)).to.deep.equal([created.body.data.attributes])
    expect(await rows(`select book_id from book_tags where tag_id = '${id}'`)).to.deep.equal([{ book_id: 2 }])
  })

  it('store one pair when all add the same member of a many-to-many', async () => {
    const data = [{ type: 'tags', id: redTag }]
    const answers = await Promise.all(fifty.map(() => client.post('/books/3/relationships/tags', { data })))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    expect(await rows('select tag_id from book_tags where book_id = 3')).to.deep.equal([{ tag_id: redTag }])
  })

  it('lose no member when requests add and remove members of one resource concurrently', async () => {
    const tags = fifty.map((index) => `00000000-0000-4000-8000-${String(100 + index).padStart(12, '0')}`)
    await rows(`insert into tags (id, name) select id::uuid, id from unnest('{${tags}}'::text[]) id`)
    await rows(
      `insert into book_tags (book_id, tag_id) select 4, id::uuid from unnest('{${tags.slice(0, 25)}}'::text[]) id`,
    )
    const change = (id: string, index: number) =>
      client.send(index < 25 ? 'DELETE' : 'POST', '/books/4/relationships/tags', {
        body: { data: [{ type: 'tags', id }] },
      })
    const answers = await Promise.all(tags.map(change))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    const left = await rows('select tag_id from book_tags where book_id = 4 order by tag_id')
    expect(left).to.deep.equal(tags.slice(25).map((tag_id) => ({ tag_id })))
  })

  it('leave a has-one member with one parent when 50 parents take it', async () => {
    await rows(`insert into shelves (id, name) select number, 'Shelf' from generate_series(1001, 1050) number`)
    const data = { type: 'labels', id: '1' }
    const answers = await Promise.all(
      fifty.map((index) => client.patch(`/shelves/${1001 + index}/relationships/label`, { data })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    const [label, ...others] = await rows('select shelf_id from labels')
    expect(others).to.deep.equal([])
    expect(label?.shelf_id).to.be.within(1001, 1050)
  })

  it('lose no update when they change different attributes of one resource', async () => {
    const changes = [
      { title: 'Changed' },
      { position: 77 },
      { rating: 9.25 },
      { printedAt: '2001-02-03T04:05:06+00:00' },
    ]
    const answers = await Promise.all(
      fifty.map((index) =>
        client.patch('/books/1', { data: { type: 'books', id: '1', attributes: changes[index % changes.length] } }),
      ),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    const { body } = await client.get('/books/1')
    expect(body.data.attributes).to.deep.equal(Object.assign({}, ...changes))
  })

  it('lose no update when they change attributes and relationships of one resource', async () => {
    const write = (index: number) => {
      if (index % 2) return client.patch('/books/1/relationships/shelf', { data: { type: 'shelves', id: '2' } })
      return client.patch('/books/1', { data: { type: 'books', id: '1', attributes: { position: index } } })
    }
    const answers = await Promise.all(fifty.map(write))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    const [book] = await rows('select shelf_id, position, title from books where id = 1')
    expect(book).to.deep.include({ shelf_id: 2, title: 'Emma' })
    expect(Number(book?.position) % 2).to.equal(0)
  })
})

describe('50 concurrent updates of one JSON column', () => {
  it('keep the children that the other updates have written', async () => {
    const { client } = await catalogue()
    const change = (packaging: object) =>
      client.patch('/releases/1', { data: { type: 'releases', id: '1', attributes: { packaging } } })
    await change({ material: 'plastic', gatefold: false })
    const answers = await Promise.all(
      fifty.map((index) => change(index === 4 ? { gatefold: true } : { material: `paper ${index}` })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(50).fill(200))
    const { attributes } = (await client.get('/releases/1')).body.data
    expect(attributes.packaging.gatefold).to.equal(true)
    expect(attributes.packaging.material).to.match(/^paper \d+$/)
  })
})

function readFirstError({ status, body }: ClientResponse): [status: number, pointer: string] {
  return [status, body.errors[0].source?.pointer]
}

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql)
}
