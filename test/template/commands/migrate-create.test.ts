import { expect } from 'chai'
import { discover } from '#discovery'
import { migrate } from '#store'
import { root } from '#test/support/app.ts'
import { findChanges } from '../../../scripts/support/schema-changes.ts'
import '#test/support/catalogue.ts'
import { openTestDatabase, projectSchema } from '#test/support/database.ts'

describe('npm run migrate -- create', () => {
  it('generates up and down statements of the changed table and ignores triggers of other tables', async () => {
    const database = await openTestDatabase(await projectSchema())
    try {
      await migrate(database)
      await database.orm.em.getConnection().execute('drop index albums_title_id_index')
      const changes = await findChanges(database.orm, await discover(root))
      expect(changes.map(({ folder: { name }, up, down }) => ({ name, up, down }))).to.deep.equal([
        {
          name: 'albums',
          up: ['create index "albums_title_id_index" on "albums" ("title", "id")'],
          down: ['drop index "albums_title_id_index"'],
        },
      ])
    } finally {
      await database.close()
    }
  })
})
