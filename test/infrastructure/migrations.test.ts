import { expect } from 'chai'
import { openDatabase } from '#store/connection/open.ts'
import { migrate, pendingMigrations } from '#store/data/migrate.ts'
import { openTestDatabase, projectSchema, testDatabase } from '#test/support/database.ts'

describe('migrations', () => {
  it('make exactly the schema of the entities', async () => {
    const { orm } = await testDatabase()
    expect(await orm.schema.getUpdateSchemaSQL({ wrap: false })).to.equal('')
  })

  it('are applied once', async () => {
    const database = await testDatabase()
    expect(await pendingMigrations(database)).to.deep.equal([])
    expect(await migrate(database)).to.deep.equal([])
  })

  it('can be undone and applied again', async () => {
    const database = await openTestDatabase(await projectSchema())
    const names = await migrate(database)
    await database.orm.migrator.down({ to: 0 })
    expect(await pendingMigrations(database)).to.deep.equal(names)
    expect(await migrate(database)).to.deep.equal(names)
    expect(await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).to.equal('')
    await database.close()
  })
})

// The embedded database has only one process.
if (process.env.DATABASE_URL) {
  describe('migrations on a server', () => {
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
  })
}
