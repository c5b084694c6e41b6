import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Database } from '#store'
import { openWebhookLibrary, startWebhooks } from '#test/template/support/webhook-library.ts'

describe('removal.sql of webhooks and the change log', () => {
  let database: Database
  before(async () => {
    database = await openWebhookLibrary()
    await (await startWebhooks(database)).close()
  })
  after(() => database?.close())

  const run = (sql: string) => database.orm.em.fork().execute(sql)
  const created = () =>
    run(`select relname as name from pg_class where relkind = 'r' and relname ~ '^(change|webhook)_'
      union all select proname from pg_proc where proname ~ '^(change|webhook)_'
      union all select tgname from pg_trigger where tgname ~ '^(change|webhook)_'
      union all select name from migrations where name ~ '^(change-log|webhooks)/'`)

  it('removes the tables, functions, triggers and migrations', async () => {
    expect(await created()).to.have.length.above(20)
    for (const plugin of ['webhooks', 'change-log']) {
      const sql = readFileSync(join(import.meta.dirname, `../../${plugin}/removal.sql`), 'utf8')
      for (const statement of sql.split(';\n').filter(Boolean)) await run(statement)
    }
    expect(await created()).to.deep.equal([])
  })
})
