import { expect } from 'chai'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { type Client, mediaType } from '#test/support/client.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { cursorProfileUri } from './index.ts'

describe('The profile of cursor pagination', () => {
  let library: TestApp
  let client: Client

  before(async () => {
    await fillLibrary()
    library = await startLibrary()
    client = library.client
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  const expectProfile = async (path: string) => {
    const { status, headers, body } = await client.get(path)
    expect(status).to.equal(200)
    expect(headers.get('content-type')).to.equal(`${mediaType}; profile="${cursorProfileUri}"`)
    expect(body.jsonapi).to.deep.equal({ version: '1.1', profile: [cursorProfileUri] })
  }
  const expectNoProfile = async (path: string, headers = {}) => {
    const answer = await client.get(path, headers)
    expect(answer.headers.get('content-type')).to.equal(mediaType)
    expect(answer.body.jsonapi).to.deep.equal({ version: '1.1' })
  }

  it('CUR-30 is applied to every response with a cursor page, even if the client did not request it', async () => {
    await expectProfile('/books')
    await expectProfile('/books?page[size]=0')
    await expectProfile('/shelves/1/books')
    await expectProfile('/shelves/1/relationships/books?page[size]=2')
    await expectProfile('/shelves/1/relationships/books?sort=title')
  })

  it('is applied when only an included collection pages by cursor', async () => {
    await expectProfile('/shelves?include=books')
    await expectProfile('/shelves/3?include=books')
    await expectProfile('/books/1?include=shelf.books')
  })

  it('is not applied to a response without a cursor page', async () => {
    await expectNoProfile('/shelves')
    await expectNoProfile('/shelves?include=allBooks')
    await expectNoProfile('/books/1?include=shelf')
    await expectNoProfile('/books/8?include=shelf.books')
    await expectNoProfile('/shelves/1/relationships/books')
    await expectNoProfile('/shelves', { accept: `${mediaType}; profile="${cursorProfileUri}"` })
  })

  it('is not applied to an error document', async () => {
    await expectNoProfile('/books?page[after]=nonsense')
    await expectNoProfile('/shelves?include=books,nope')
  })

  const configurations: Readonly<Record<string, TestAppOptions>> = {
    'the plugin is disabled': { disabled: ['cursor-profile'] },
    'the server does not have it': { servers: { default: { profiles: [] } } },
  }
  for (const [condition, options] of Object.entries(configurations)) {
    describe(`when ${condition}`, () => {
      let without: TestApp
      before(async () => {
        without = await startLibrary(options)
      })
      after(() => without.close())

      it('is not applied to cursor pages', async () => {
        const { headers, body } = await without.client.get('/books?page[size]=4')
        expect(headers.get('content-type')).to.equal(mediaType)
        expect(body.jsonapi).to.deep.equal({ version: '1.1' })
        expect(body.meta.page).to.deep.equal({ perPage: 4, from: '1', to: '4', hasMore: true })
        const next = await without.client.get(body.links.next)
        expect(next.body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['5', '6', '7', '8'])
        const malformed = await without.client.get('/books?page[after]=nonsense')
        expect(malformed.body.errors[0].code).to.equal('CURSOR_MALFORMED')
      })

      it('is not applied to the first page of included members', async () => {
        const { headers, body } = await without.client.get('/shelves/1?include=books')
        expect(headers.get('content-type')).to.equal(mediaType)
        expect(body.data.relationships.books.data).to.have.length(2)
        expect(body.data.relationships.books.links.next).to.include('page%5Bafter%5D')
        expect(body.included).to.have.length(2)
      })
    })
  }
})

/** Inserts nine books: 1 to 7 belong to shelf 1, 8 and 9 to none. */
async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const em = (await libraryDatabase()).orm.em.fork()
  await em.insertMany(Shelf, [
    { id: 1, name: 'full' },
    { id: 3, name: 'empty' },
  ])
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  await em.insertMany(
    Book,
    ids.map((id) => ({ id, title: `book ${id}`, position: id, shelf: id < 8 ? 1 : null })),
  )
}
