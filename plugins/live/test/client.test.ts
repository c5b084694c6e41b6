import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { ApiOf } from '#app/api-types/api-of.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import {
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
}
type Api = ApiOf<Folders, 'default', Record<never, never>>

describe('live() of the TypeScript client', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    const plugins = withPlugins(live())
    database = await openRecordedLibrary(plugins)
    started = await startRecordedLibrary(database, { plugins, undescribed: ['default', 'admin'] })
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
      sleep: () => setTimeout(1),
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
    const read = async () => {
      for await (const _ of api.books.live({ params: { 'page[size]': '1' } })) break
    }
    const error = await read().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(JsonApiError).and.to.include({ status: 400 })
  })
})
