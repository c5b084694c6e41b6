import { expect } from 'chai'
import pg from 'pg'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { seedBlog } from '../../../../scripts/template/bench/blog/seed.ts'
import { countedItems } from '../../../../scripts/template/bench/calls/items.ts'
import { countIn } from '../../../../scripts/template/bench/calls/print.ts'
import { schemas } from '../../../../scripts/template/bench/schema.ts'

// The calls of functions and the promises of a request have no noise. The limits may only fall. They are counted in a process
// of their own: other applications of this process would observe the statements, too.

type Limits = Readonly<Record<string, readonly [calls: number, promises: number]>>

/** Types without policies. */
const blog: Limits = {
  'GET /articles/5001': [180, 20],
  'GET /articles?page[size]=50': [500, 19],
  'GET /articles?fields[articles]=title,publishedAt&sort=-publishedAt&page[size]=50': [450, 19],
  'GET /articles/5001/comments?page[size]=10': [285, 28],
  'POST /comments': [394, 46],
  'PATCH /articles/{id}': [360, 48],
  'DELETE /comments/{id}': [244, 41],
}

/** Types with policies, scopes, default includes and attributes that count. */
const demo: Limits = {
  'GET /artists/1': [335, 47],
  'GET /albums/1': [450, 58],
  'GET /albums': [525, 59],
  'POST /tracks': [500, 58],
  'PATCH /albums/1': [832, 113],
}

describeIf(hasServer)('A request whose plan is kept', () => {
  let database: TestDatabase
  afterEach(() => database.close())

  it(`needs few calls of functions and promises in a schema without policies`, async () => {
    database = await openTestDatabase({ ...(await projectSchema()), migrations: [] })
    const client = new pg.Client(database.databaseUrl as string)
    await client.connect()
    await seedBlog(client)
    await client.end()
    await check('blog', blog)
  })

  it(`needs few calls of functions and promises in the demo`, async () => {
    database = await openTestDatabase(await projectSchema())
    await migrate(database)
    await seed(database, await loadSeeds<Seed>(await discover(root)))
    await check('demo', demo)
  })

  async function check(schema: string, limits: Limits): Promise<void> {
    const variables = schemas.find(({ name }) => name === schema)?.variables
    const items = (await countedItems(schema)).filter(({ name }) => name in limits)
    const counts = await countIn(items, { ...variables, DATABASE_URL: database.databaseUrl as string })
    expect(counts.map(({ name }) => name)).to.deep.equal(Object.keys(limits))
    for (const { name, calls, promises } of counts) {
      const [mostCalls, mostPromises] = limits[name] as readonly [number, number]
      expect(calls, `calls of ${name}`).to.be.at.most(mostCalls)
      expect(promises, `promises of ${name}`).to.be.at.most(mostPromises)
    }
  }
})
