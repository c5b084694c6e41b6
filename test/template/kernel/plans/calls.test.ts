import { expect } from 'chai'
import pg from 'pg'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { seedBlog } from '../../../../scripts/template/bench/blog/seed.ts'
import { countIn, type PathCount } from '../../../../scripts/template/bench/calls/print.ts'
import { schemas } from '../../../../scripts/template/bench/schema.ts'

// The calls of functions and the promises of a request have no noise. The limits may only fall. They are counted in a process
// of their own: other applications of this process would observe the statements, too.

type Limits = Readonly<Record<string, readonly [calls: number, promises: number]>>

/** Types without policies. */
const blog: Limits = {
  '/articles/5001': [180, 20],
  '/articles?page[size]=50': [500, 19],
  '/articles?fields[articles]=title,publishedAt&sort=-publishedAt&page[size]=50': [450, 19],
  '/articles/5001/comments?page[size]=10': [285, 28],
}

/** Types with policies, scopes, default includes and attributes that count. */
const demo: Limits = {
  '/artists/1': [335, 47],
  '/albums/1': [450, 58],
  '/albums': [525, 59],
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
    const variables = schemas.find(({ name }) => name === 'blog')?.variables
    check(await countIn(Object.keys(blog), { ...variables, DATABASE_URL: database.databaseUrl as string }), blog)
  })

  it(`needs few calls of functions and promises in the demo`, async () => {
    database = await openTestDatabase(await projectSchema())
    await migrate(database)
    await seed(database, await loadSeeds<Seed>(await discover(root)))
    check(await countIn(Object.keys(demo), { DATABASE_URL: database.databaseUrl as string }), demo)
  })
})

function check(counts: readonly PathCount[], limits: Limits): void {
  expect(counts.map(({ path }) => path)).to.deep.equal(Object.keys(limits))
  for (const { path, calls, promises } of counts) {
    const [mostCalls, mostPromises] = limits[path] as readonly [number, number]
    expect(calls, `calls of GET ${path}`).to.be.at.most(mostCalls)
    expect(promises, `promises of GET ${path}`).to.be.at.most(mostPromises)
  }
}
