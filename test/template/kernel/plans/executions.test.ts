import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp, TestAppOptions } from '#test/support/app.ts'
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
    const limits = { documentResources: 3 }
    const { app, close } = await startLibrary()
    await close()
    const client = await start({ config: { limits: { ...app.config.limits, ...limits } } })
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
})
