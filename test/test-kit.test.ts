import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { membersOf, type Plugin } from '#kernel/plugin'
import {
  authorizationMatrix,
  createTestApp,
  defineFactory,
  expectConstantQueries,
  freezeClock,
  type TestApp,
} from './support/kit.ts'
import { Book, Shelf } from './support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from './support/library/index.ts'
import { libraryResources } from './support/library/resources.ts'

const books = defineFactory(Book, (n) => ({ title: `Book ${n}` }), libraryDatabase)
const shelves = defineFactory(Shelf, (n) => ({ name: `Shelf ${n}` }), libraryDatabase)

describe('The test kit', () => {
  let running: TestApp
  before(async () => {
    await emptyLibrary()
    running = await startLibrary(plugins)
  })
  after(() => running.close())

  it('starts one application of the project for all tests', async () => {
    expect(await createTestApp()).to.equal(await createTestApp())
  })

  it('finds that a read costs as much however many rows there are', async () => {
    await books.create({ shelf: await shelves.create() })
    const more = () => books.createMany(3)
    await expectConstantQueries(running, '/books?include=shelf', more)
    await expectConstantQueries(running, '/books?include=shelf')
  })

  it('finds a statement per row, with rows that are added and with those there are', async () => {
    const slow = await startLibrary([...plugins, askingForEachRow])
    const errors: string[] = []
    for (const more of [() => books.createMany(2), undefined]) {
      await expectConstantQueries(slow, '/books', more).catch((error: Error) => errors.push(error.message))
    }
    await slow.close()
    expect(errors).to.have.length(2)
    for (const message of errors) expect(message).to.include('statements of /books that grow with the rows')
  })

  describe('freezes the clock', () => {
    freezeClock('2026-02-03T04:05:06Z')

    it('for tests and for the application', async () => {
      expect(new Date().toISOString()).to.equal('2026-02-03T04:05:06.000Z')
      const { headers } = await running.client.get('/books')
      expect(headers.get('x-now')).to.equal('2026-02-03T04:05:06.000Z')
    })
  })

  describe('tells who may do what', () => {
    const principals = { anonymous: {}, named: { 'x-name': 'Ada' } }
    authorizationMatrix(() => running.client, principals, [
      ['GET /shelves', [403, 200]],
      ['POST /books', [201, 201], { data: { type: 'books', attributes: { title: 'Emma' } } }],
    ])
  })
})

/** Tells the time, and keeps shelves for those who have a name. */
const ownRules: Plugin = {
  name: 'own-rules',
  middleware: () => async (ctx, next) => {
    if (ctx.path === '/shelves' && !ctx.get('x-name')) ctx.throw(403)
    await next()
    ctx.set('x-now', new Date().toISOString())
  },
}

const askingForEachRow: Plugin = {
  name: 'asking-for-each-row',
  async afterRead({ context }, response) {
    const em = context.unit.em as unknown as { execute(sql: string): Promise<unknown> }
    for (const _ of membersOf(response)) await em.execute('select 1 as asked')
    return undefined
  },
}

async function startLibrary(list: readonly Plugin[]): Promise<TestApp> {
  const library = { resources: libraryResources, database: await libraryDatabase(), wrote: () => {} }
  return createTestApp({ ...library, plugins: [...list, ownRules], undescribed: ['default'] })
}
