import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, isData, listMembers, type Plugin } from '#kernel/plugin'
import {
  asFirst,
  authorizationMatrix,
  createTestApp,
  defineFactory,
  expectConstantQueries,
  freezeClock,
  type TestApp,
} from '#test/support/test-kit.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase } from '#test/template/support/library/index.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'

const books = defineFactory(Book, (n) => ({ title: `Book ${n}` }), libraryDatabase)
const shelves = defineFactory(Shelf, (n) => ({ name: `Shelf ${n}` }), libraryDatabase)

describe('Test kit', () => {
  let running: TestApp
  before(async () => {
    await emptyLibrary()
    running = await startLibrary(plugins)
  })
  after(() => running.close())

  it('returns headers with the first development token, and throws with the file to edit if there is none', () => {
    expect(asFirst({ ada: ['user'], bob: [] })).to.deep.equal({ authorization: 'Bearer ada' })
    expect(() => asFirst({})).to.throw('add one to developmentTokens in app/plugins.ts')
  })

  it('starts one application of the project for all tests', async () => {
    expect(await createTestApp()).to.equal(await createTestApp())
  })

  it('expectConstantQueries passes when the number of statements does not depend on the rows', async () => {
    await books.create({ shelf: await shelves.create() })
    const more = () => books.createMany(3)
    await expectConstantQueries(running, '/books?include=shelf', more)
    await expectConstantQueries(running, '/books?include=shelf')
  })

  it('expectConstantQueries fails for a statement per row, with added rows and with existing ones', async () => {
    const slow = await startLibrary([...plugins, selectPerRow])
    const errors: string[] = []
    for (const more of [() => books.createMany(2), undefined]) {
      await expectConstantQueries(slow, '/books', more).catch((error: Error) => errors.push(error.message))
    }
    await slow.close()
    expect(errors).to.have.length(2)
    for (const message of errors) expect(message).to.include('statements of /books that grow with the rows')
  })

  describe('freezeClock', () => {
    freezeClock('2026-02-03T04:05:06Z')

    it('sets the time of tests and of the application', async () => {
      expect(new Date().toISOString()).to.equal('2026-02-03T04:05:06.000Z')
      const { headers } = await running.client.get('/books')
      expect(headers.get('x-now')).to.equal('2026-02-03T04:05:06.000Z')
    })
  })

  describe('authorizationMatrix', () => {
    const principals = { anonymous: {}, named: { 'x-name': 'Ada' } }
    authorizationMatrix(() => running.client, principals, [
      ['GET /shelves', [403, 200]],
      ['POST /books', [201, 201], { data: { type: 'books', attributes: { title: 'Emma' } } }],
    ])
  })
})

/** Returns the time in a header, and requires a name to read shelves. */
const ownRules: Plugin = {
  name: 'own-rules',
  middleware: () => async (ctx, next) => {
    if (ctx.path === '/shelves' && !ctx.get('x-name')) ctx.throw(403)
    await next()
    ctx.set('x-now', new Date().toISOString())
  },
}

const selectPerRow: Plugin = {
  name: 'select-per-row',
  plan: addSteps({
    async afterOperation({ context }, response) {
      const em = context.unit.em as unknown as { execute(sql: string): Promise<unknown> }
      for (const _ of isData(response) ? listMembers(response) : []) await em.execute('select 1 as result')
      return undefined
    },
  }),
}

async function startLibrary(list: readonly Plugin[]): Promise<TestApp> {
  const library = { resources: libraryResources, database: await libraryDatabase(), wrote: () => {} }
  return createTestApp({ ...library, plugins: [...list, ownRules], undescribed: ['default'] })
}
