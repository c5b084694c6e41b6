import { expect } from 'chai'
import { type Database, openDatabase } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { startApp } from '#test/support/catalogue.ts'
import { projectSchema } from '#test/support/database.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'

describeIf(!hasServer)('An embedded database on a full disk', () => {
  let database: Database
  let app: TestApp
  let free = 0
  before(async () => {
    const schema = await projectSchema()
    database = await openDatabase({ databaseUrl: null, dataDir: null, freeBytes: async () => free, ...schema })
    await database.orm.migrator.up()
    app = await startApp({ database })
  })
  after(async () => {
    await app.close()
    await database.close()
  })

  const create = () => app.client.post('/artists', { data: { type: 'artists', attributes: { name: 'New' } } })

  it('returns 503 with Retry-After for writes, and serves reads', async () => {
    free = 64 * 2 ** 20 - 1
    const { status, headers } = await create()
    expect(status).to.equal(503)
    expect(headers.get('retry-after')).to.equal('5')
    expect((await app.client.get('/artists')).status).to.equal(200)
  })

  it('accepts writes as soon as there is space again', async () => {
    free = 64 * 2 ** 20
    expect((await create()).status).to.equal(201)
  })
})
