import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { discover } from '#discovery'
import { Track } from '#resources/tracks/entity.ts'
import { prepareDatabase } from '#store'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

describeIf(!hasServer)('A new embedded database', () => {
  let database: TestDatabase
  let folder: string
  before(async () => {
    database = await openTestDatabase(await projectSchema())
    folder = mkdtempSync(join(tmpdir(), 'seed-'))
  })
  after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  it('is seeded at the second start when the first ended after the migrations', async () => {
    const discovery = await discover(root)
    const seed = join(folder, 'seed.ts')
    writeFileSync(seed, "export default { after: ['albums'], run() { throw new Error('The process ends.') } }")
    const folders = discovery.folders.map((found) => (found.name === 'tracks' ? { ...found, seed } : found))
    const failure = await prepareDatabase(database, { ...discovery, folders }).catch((error: Error) => error)
    expect(failure).to.have.property('message', 'The process ends.')

    const { migrated, seeded } = await prepareDatabase(database, discovery)
    expect([migrated.length > 0, seeded]).to.deep.equal([true, true])
    expect(await database.orm.em.fork().count(Track)).to.be.above(0)
    expect(await prepareDatabase(database, discovery)).to.deep.equal({ migrated: [], seeded: false, missing: [] })
  })
})
