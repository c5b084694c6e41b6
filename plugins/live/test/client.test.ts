import { expect } from 'chai'
import type { ApiOf } from '#app/api-types/api-of.ts'
import type { Server } from '#kernel/plugin'
import { typesOfServer } from '#plugins/client-types/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import {
  type labels,
  openRecordedLibrary,
  type recordedBooks,
  type recordedShelves,
  type recordedTags,
  startRecordedLibrary,
  withPlugins,
} from '#test/template/support/recorded-library.ts'
import { createClient, JsonApiError } from '../../../clients/typescript/src/index.ts'
import { live } from '../index.ts'

interface Folders {
  readonly books: { readonly resource: typeof recordedBooks }
  readonly shelves: { readonly resource: typeof recordedShelves }
  readonly tags: { readonly resource: typeof recordedTags }
  readonly labels: { readonly resource: typeof labels }
}
type Api = ApiOf<Folders, 'default', Record<never, never>>

describe('live() of the TypeScript client', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    const plugins = withPlugins(live())
    database = await openRecordedLibrary(plugins)
    started = await startRecordedLibrary(database, { plugins, undescribed: ['default', 'admin'] })
    const { config } = started.app
    Object.assign(config, { variables: { ...config.variables, LIVE_STREAMS_PER_PRINCIPAL: 2 } })
    await started.app.start()
    await started.app.store.queue.stop()
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  it('yields the rows after every change, and connects again after a lost connection', async () => {
    const { app, client } = started
    await app.store.query(`insert into books (id, title) values (1, 'A')`)
    let connections = 0
    let lost = new AbortController()
    const api = createClient<Api>({
      url: client.url,
      sleep: async () => {},
      fetch: async (input, init) => {
        connections++
        lost = new AbortController()
        return fetch(input, { ...init, signal: lost.signal })
      },
    })
    const seen: string[][] = []
    for await (const rows of api.books.live({ fields: { books: ['title'] } })) {
      seen.push(rows.map(({ id, title }) => `${id} ${title}`))
      if (seen.length === 1) await app.store.query(`insert into books (id, title) values (2, 'B')`)
      if (seen.length === 2) {
        lost.abort()
        await app.store.query('delete from books where id = 1')
      }
      if (seen.length === 3) break
    }
    expect(seen).to.deep.equal([['1 A'], ['1 A', '2 B'], ['2 B']])
    expect(connections).to.equal(2)
  })

  it('throws the error of the server if it refuses the stream', async () => {
    const api = createClient<Api>({ url: started.client.url })
    const error = await firstError(api.books.live({ params: { 'page[size]': '1' } }))
    expect(error).to.be.instanceOf(JsonApiError).and.to.include({ status: 400 })
  })

  it('throws 429 at once if the principal has too many streams, and ends with the reason of an aborted signal', async () => {
    const { app, client } = started
    await eventually(() => app.liveHub?.size === 0)
    const api = createClient<Api>({ url: client.url, sleep: () => expect.fail('waited') })
    const aborter = new AbortController()
    const read = () => api.books.live({ signal: aborter.signal })[Symbol.asyncIterator]()
    const open = read()
    await open.next()
    await read().next()
    const refused = await read()
      .next()
      .catch((thrown: unknown) => thrown)
    expect(refused).to.be.instanceOf(JsonApiError).and.to.include({ status: 429, code: 'LIVE_STREAMS_EXCEEDED' })
    const next = open.next().catch((thrown: unknown) => thrown)
    aborter.abort()
    expect(await next).to.equal(aborter.signal.reason)
  })

  it('liveOne() yields the row after every change, null after its removal, and throws 404 without a resource', async () => {
    const { app, client } = started
    await eventually(() => app.liveHub?.size === 0)
    await app.store.query(`insert into shelves (id, name) values (7, 'Top')`)
    await app.store.query(`insert into books (id, title, shelf_id) values (7, 'A', 7)`)
    const api = createClient<Api>({ url: client.url })
    const seen: unknown[] = []
    const query = { include: ['shelf'], fields: { books: ['title', 'shelf'], shelves: ['name'] } } as const
    for await (const book of api.books.liveOne('7', query)) {
      seen.push(book && [book.title, book.shelf?.name])
      if (seen.length === 1) await app.store.query(`update books set title = 'B' where id = 7`)
      if (seen.length === 2) await app.store.query('delete from books where id = 7')
      if (seen.length === 3) break
    }
    expect(seen).to.deep.equal([['A', 'Top'], ['B', 'Top'], null])
    expect(await firstError(api.books.liveOne('7'))).to.include({ status: 404, code: 'RESOURCE_NOT_FOUND' })
  })

  it('shows one state of a resource that is a row and a related one, and is closed by return() while next() waits', async () => {
    const { app, client } = started
    await eventually(() => app.liveHub?.size === 0)
    await app.store.query('delete from books')
    await app.store.query(`insert into shelves (id, name) values (8, 'Low')`)
    await app.store.query(`insert into books (id, title, shelf_id) values (8, 'A', 8), (9, 'B', 8)`)
    const api = createClient<Api>({ url: client.url })
    const rows = api.books.live({ include: ['shelf.books'] })[Symbol.asyncIterator]()
    const nextWith = async (title: string) => {
      for (;;) {
        const books = (await rows.next()).value
        if (books?.some((book: { readonly title: string }) => book.title === title)) return books
      }
    }
    await nextWith('A')
    await app.store.query(`update books set title = 'A1' where id = 8`)
    await nextWith('A1')
    await app.store.query(`update books set title = 'B1' where id = 9`)
    for (const { shelf } of await nextWith('B1'))
      expect(shelf.books.map(({ title }: { readonly title: string }) => title)).to.have.members(['A1', 'B1'])

    const next = rows.next()
    await rows.return?.()
    expect(await next).to.deep.equal({ done: true, value: undefined })
    await eventually(() => app.liveHub?.size === 0)
  })

  it('exists for types with changes: true, in the types of declarations and in those of the OpenAPI document', async () => {
    const { app, client } = started
    const api = createClient<Api>({ url: client.url })
    // @ts-expect-error Property 'live' does not exist on type
    const refused: AsyncIterable<unknown> = api.labels.live()
    expect(await firstError(refused)).to.include({ status: 406, code: 'LIVE_UNAVAILABLE' })
    // @ts-expect-error Property 'liveOne' does not exist on type
    expect(await firstError(api.labels.liveOne('1'))).to.include({ status: 404 })

    const [server] = app.servers
    const { declarations } = typesOfServer(app, server as Server)
    const operations = [...declarations.matchAll(/^ {2}readonly (\w+): \{[\s\S]+?readonly operations: (.+)$/gm)]
    const streamed = operations.filter(([, , names]) => names?.includes(`| 'live' | 'liveOne'`)).map(([, type]) => type)
    expect(streamed).to.have.members(['books', 'shelves', 'tags'])
    expect(declarations.split(`'live'`)).to.have.length(4)
  })
})

async function firstError(rows: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _ of rows) return null
  } catch (error) {
    return error
  }
  return null
}
