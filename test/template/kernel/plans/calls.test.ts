import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import { migrate, type Seed, seed } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { countIn, type PathCount } from '../../../../scripts/template/bench/calls/print.ts'

// The calls of functions and the promises of a request have no noise. The limits may only fall. They are counted in a process
// of their own: other applications of this process would observe the statements, too.

const limits: Readonly<Record<string, readonly [calls: number, promises: number]>> = {
  '/artists/1': [655, 128],
  '/albums/1': [950, 192],
  '/albums': [1_090, 198],
}

describeIf(hasServer)('A request whose query is kept', () => {
  let database: TestDatabase
  let counts: readonly PathCount[]
  before(async () => {
    database = await openTestDatabase(await projectSchema())
    await migrate(database)
    await seed(database, await loadSeeds<Seed>(await discover(root)))
    counts = await countIn(Object.keys(limits), { DATABASE_URL: database.databaseUrl as string })
  })
  after(() => database.close())

  for (const [path, [calls, promises]] of Object.entries(limits)) {
    it(`needs at most ${calls} calls of functions and ${promises} promises: GET ${path}`, () => {
      const counted = counts.find((count) => count.path === path)
      expect(counted?.calls).to.be.at.most(calls)
      expect(counted?.promises).to.be.at.most(promises)
    })
  }
})
