import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import type { Handler } from '#app/kernel/contract/operation.ts'
import { plugins } from '#app/plugins.ts'
import { defineResource, type Unit } from '#kernel'
import { addSteps, type Plugin, type Store } from '#kernel/plugin'
import { LogicError } from '#program'
import type { TestApp } from '#test/support/app.ts'
import { declared } from '#test/template/specification/library-app.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'

// A unit is one transaction for the statements of the driver and of MikroORM.

describe('A unit', () => {
  let library: TestApp
  let store: Store

  before(async () => {
    library = await startLibrary({ resources: declared(shelves) })
    store = library.app.store
  })
  afterEach(emptyLibrary)
  after(() => library.close())

  const names = async () => (await store.query('select name from shelves order by name')).map(({ name }) => name)

  it('commits one transaction for the entity manager and its Kysely', async () => {
    await store.write(async (unit) => {
      await readManager(unit).insert(Shelf, { name: 'A' })
      const rows = await readManager(unit).getKysely<Tables>().selectFrom('shelves').select('name').execute()
      expect(rows).to.deep.equal([{ name: 'A' }])
      expect(readManager(unit).isInTransaction()).to.equal(true)
    })
    expect(await names()).to.deep.equal(['A'])
  })

  it('rolls back all of it when it fails', async () => {
    const failing = store.write(async (unit) => {
      await readManager(unit).insert(Shelf, { name: 'A' })
      throw new Error('Not today.')
    })
    expect(await failing.catch((error) => error.message)).to.equal('Not today.')
    expect(await names()).to.deep.equal([])
  })

  it('rolls back only the nested transaction that fails', async () => {
    await store.write(async (unit) => {
      const em = readManager(unit)
      await em.insert(Shelf, { name: 'A' })
      await em.transactional((inner) => inner.insert(Shelf, { name: 'B' }))
      const failing = em.transactional(async (inner) => {
        await inner.insert(Shelf, { name: 'C' })
        throw new Error('Not this one.')
      })
      expect(await failing.catch((error) => error.message)).to.equal('Not this one.')
    })
    expect(await names()).to.deep.equal(['A', 'B'])
  })

  it('returns the count of changed rows', async () => {
    await store.write(async (unit) => {
      const em = readManager(unit)
      await em.insertMany(Shelf, [{ name: 'A' }, { name: 'B' }])
      expect(await em.nativeUpdate(Shelf, {}, { name: 'C' })).to.equal(2)
      expect(await em.nativeDelete(Shelf, {})).to.equal(2)
    })
  })

  it('streams rows', async function () {
    if ((await libraryDatabase()).kind === 'embedded') this.skip() // PGlite has no cursors
    await store.write(async (unit) => {
      const em = readManager(unit)
      await em.insertMany(Shelf, [{ name: 'A' }, { name: 'B' }])
      const found: string[] = []
      for await (const shelf of em.stream(Shelf, { orderBy: { id: 'asc' } })) found.push(shelf.name)
      expect(found).to.deep.equal(['A', 'B'])
    })
  })

  it('leaves its entity manager outside of the transaction after the commit', async () => {
    const unit = await store.write(async (inner) => {
      await readManager(inner).insert(Shelf, { name: 'A' })
      return inner
    })
    expect(readManager(unit).isInTransaction()).to.equal(false)
    expect(await readManager(unit).count(Shelf)).to.equal(1)
  })

  it('throws when it is opened inside another unit', async () => {
    const opening = store.write(() => store.read(async () => null))
    expect(await opening.catch((error) => error.message)).to.match(/^A unit was opened inside/)
  })
})

describe('A row that is written by a single statement', () => {
  let library: TestApp
  afterEach(async () => {
    await library.close()
    await emptyLibrary()
  })

  const create = () => library.client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'A' } } })
  const count = async () => (await library.app.store.query('select id from shelves')).length

  it('is rolled back when the handler of the server throws', async () => {
    const refusing =
      (usual: Handler): Handler =>
      async (operation) => {
        await usual(operation)
        throw new LogicError('Refused.')
      }
    library = await startLibrary({ resources: declared(shelves), servers: { default: { handler: refusing } } })
    expect((await create()).status).to.be.at.least(400)
    expect(await count()).to.equal(0)
  })

  it('shares the transaction with the writes of a plugin before it', async () => {
    const before: Plugin = {
      name: 'before',
      plan: addSteps({
        validate: {
          of: 'row',
          async check({ context }) {
            await (context.unit.em as SqlEntityManager).insert(Shelf, { name: 'before' })
          },
        },
      }),
    }
    library = await startLibrary({ resources: declared(shelves), plugins: [...plugins, before] })
    expect((await create()).status).to.equal(201)
    expect(await count()).to.equal(2)
  })
})

interface Tables {
  readonly shelves: { readonly name: string }
}

const shelves = defineResource(Shelf, {
  type: 'shelves',
  fields: ({ id, string }) => [id(), string('name').required()],
})

function readManager(unit: Unit): SqlEntityManager {
  return unit.em as SqlEntityManager
}
