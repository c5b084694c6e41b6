import { readFileSync } from 'node:fs'
import { Migration } from '@mikro-orm/migrations'
import { expect } from 'chai'
import { discover } from '#discovery'
import type { Orm } from '#store'
import { openDatabase } from '#store/connection/open.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import { migrate } from '#store/migrations/migrate.ts'
import { pendingMigrations } from '#store/migrations/migration-status.ts'
import { root } from '#test/support/app.ts'
import { openTestDatabase, projectSchema, testDatabase } from '#test/support/database.ts'

describe('migrations', () => {
  it('create exactly the schema of the entities', async () => {
    const database = await openTestDatabase(await projectSchema()) // tests of plugins add tables to the shared one
    await migrate(database)
    expect(await differences(database.orm)).to.deep.equal([])
    await database.close()
  })

  it('are not run again once executed', async () => {
    const database = await testDatabase()
    expect(await pendingMigrations(database)).to.deep.equal([])
    expect(await migrate(database)).to.deep.equal([])
  })

  it('can be reverted and run again', async () => {
    const database = await openTestDatabase(await projectSchema())
    const names = await migrate(database)
    await database.orm.migrator.down({ to: 0 })
    expect(await pendingMigrations(database)).to.deep.equal(names)
    expect(await migrate(database)).to.deep.equal(names)
    expect(await differences(database.orm)).to.deep.equal([])
    await database.close()
  })
})

describe('migrations on a server', () => {
  before(function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has only one process
  })

  it('run once when several instances start together', async () => {
    const schema = await projectSchema()
    const database = await openTestDatabase(schema)
    const { databaseUrl } = database
    const others = await Promise.all([1, 2, 3].map(() => openDatabase({ databaseUrl, dataDir: null, ...schema })))
    const runs = await Promise.all([database, ...others].map(migrate))
    expect(runs.filter((names) => names.length > 0)).to.have.length(1)
    await Promise.all(others.map((other) => other.close()))
    await database.close()
  })

  it('may take longer than statement_timeout and socket time-out', async function () {
    if (process.env.DATABASE_POOLER) this.skip() // the pooler sets statement_timeout
    const { databaseUrl, close } = await openTestDatabase({ entities: [], migrations: [] })
    class SlowMigration extends Migration {
      override up(): void {
        this.addSql('select pg_sleep(5)')
      }
    }
    const databaseLimits = { ...defaultLimits, statement: 2, wait: 2 }
    const migrations = [{ name: 'slow', class: SlowMigration }]
    const database = await openDatabase({ databaseUrl, dataDir: null, entities: [], migrations, databaseLimits })
    expect(await migrate(database)).to.deep.equal(['slow'])
    await database.close()
    await close()
  })
})

/** The statements that would make the tables equal to the entities. A table that no resource creates is of a plugin. */
async function differences({ schema }: Orm): Promise<string[]> {
  const sql = await schema.getUpdateSchemaSQL({ wrap: false })
  const { folders } = await discover(root)
  const sources = folders.flatMap(({ migrations }) => migrations.map((file) => readFileSync(file, 'utf8'))).join()
  return sql.split('\n').filter((line) => {
    const [, dropped] = /^drop table if exists "([^"]+)"/.exec(line) ?? []
    return line !== '' && (dropped === undefined || sources.includes(`create table "${dropped}"`))
  })
}
