import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { readConfig } from '#app/config.ts'
import { plugins } from '#app/plugins.ts'
import { defineResource, type Provider } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import { page } from '#plugins/pagination/index.ts'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
import { manualClock } from '#test/support/clock.ts'
import { statementsOf } from '#test/support/statements.ts'
import { libraryWith } from '#test/template/specification/library-app.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// What belongs to one execution of a plan is not part of the plan.

const books = defineResource(Book, {
  type: 'books',
  fields: ({ id, string, belongsTo }) => [id(), string('title').sortable(), belongsTo('shelf', 'shelves')],
  pagination: () => null,
})

describe('A plan that is executed again', () => {
  let library: TestApp
  const start = async (options: TestAppOptions = {}) => {
    library = await startLibrary({ resources: libraryWith(books), ...options })
    return library.client
  }
  beforeEach(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  it('begins in a snapshot when a hook has sent a statement at its first execution', async () => {
    const counting: Plugin = {
      name: 'counting',
      plan: addSteps({
        async afterOperation({ context }) {
          await (context.unit as unknown as { em: SqlEntityManager }).em.count(Shelf)
          return undefined
        },
      }),
    }
    const client = await start({ plugins: [...plugins, counting] })
    const counts: number[] = []
    for (const id of ['1', '2', '3', '4']) {
      counts.push(
        (await statementsOf(() => client.get(`/books/${id}`))).filter(({ sql }) => /"books"/.test(sql)).length,
      )
    }
    expect(counts).to.deep.equal([2, 1, 1, 1])
  })

  it('has the limits of the application at each execution', async () => {
    const { app, close } = await startLibrary()
    await close()
    const client = await start({ config: { variables: { ...app.config.variables, MAX_DOCUMENT_RESOURCES: 3 } } })
    for (const path of ['/books', '/books?sort=title']) {
      const statuses: number[] = []
      const { orm } = await libraryDatabase()
      for (const shelf of [null, 2, null, 2]) {
        await orm.em.execute(`update books set deleted_at = ${shelf === null ? 'null' : 'now()'} where id = 4`)
        statuses.push((await client.get(path)).status)
      }
      expect(statuses, path).to.deep.equal([400, 200, 400, 200])
    }
  })

  it('reads with the filters of MikroORM that are enabled at each execution', async () => {
    const client = await start()
    const { orm } = await libraryDatabase()
    const titles = async () => (await client.get('/books?sort=title')).body.data.map(({ id }: { id: string }) => id)
    const found: string[][] = []
    for (const title of [null, 'Emma', 'Sanditon', null]) {
      const cond = title === null ? {} : { title }
      orm.em.addFilter({ name: 'titled', cond, entity: Book, default: true })
      found.push(await titles(), await titles())
    }
    orm.em.addFilter({ name: 'titled', cond: {}, entity: Book, default: false })
    expect(found).to.deep.equal([
      ...Array(2).fill(['1', '4', '2', '3']),
      ...Array(2).fill(['1']),
      ...Array(2).fill(['3']),
      ...Array(2).fill(['1', '4', '2', '3']),
    ])
  })

  it('has the deadline of each request', async () => {
    const clock = manualClock()
    const { limits } = readConfig({ NODE_ENV: 'test' })
    let skipped = 0
    const late: Plugin = { name: 'late', plan: addSteps({ begin: () => clock.skip(skipped) }) }
    const client = await start({
      plugins: [...plugins, late],
      clock,
      config: { limits: { ...limits, deadline: 30_000 } },
    })
    const statuses: number[] = []
    for (skipped of [0, 0, 0, 30_000, 29_999, 30_000, 0]) statuses.push((await client.get('/books/1')).status)
    expect(statuses).to.deep.equal([200, 200, 200, 503, 200, 503, 200])
  })

  it('passes the values and the row limit of each request to a provider of an author', async () => {
    const received: (readonly [values: unknown, limit: unknown, rowLimit: unknown])[] = []
    const stored = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title')],
      filters: ({ where }) => [where('title')],
      pagination: () => page({ size: 2 }),
      provider: {
        ...delegating,
        collection: (type, query, context) => {
          const values = query.where.map((condition) => (condition.kind === 'compare' ? condition.value : null))
          received.push([values, query.window?.limit, query.rowLimit])
          return delegating.collection(type, query, context)
        },
      },
    })
    const client = await start({ resources: libraryWith(stored) })
    const ids: string[][] = []
    for (const [title, size] of [...Array(3).fill(['Emma', 1]), ['Persuasion', 2], ['Emma', 1]]) {
      const { body } = await client.get(`/books?filter[title]=${title}&page[size]=${size}`)
      ids.push(body.data.map(({ id }: { id: string }) => id))
    }
    expect(ids).to.deep.equal([['1'], ['1'], ['1'], ['2'], ['1']])
    expect(received.map(([values, size]) => [values, size])).to.deep.equal([
      ...Array(3).fill([['Emma'], 1]),
      [['Persuasion'], 2],
      [['Emma'], 1],
    ])
    const limits = received.map(([, , rowLimit]) => rowLimit)
    expect(limits).not.to.include(null)
    expect(new Set(limits).size, 'limits').to.equal(received.length)
  })
})

const delegating: Provider = {
  one: (type, key, query, context, options) => context.app.store.provider.one(type, key, query, context, options),
  many: (type, keys, query, context, options) => context.app.store.provider.many(type, keys, query, context, options),
  collection: (type, query, context) => context.app.store.provider.collection(type, query, context),
  count: (type, query, context) => context.app.store.provider.count(type, query, context),
  related: (relation, parents, query, context) => context.app.store.provider.related(relation, parents, query, context),
}
