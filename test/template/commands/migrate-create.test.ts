import { join } from 'node:path'
import { expect } from 'chai'
import { type Discovery, discover } from '#discovery'
import { migrate } from '#store'
import { root } from '#test/support/app.ts'
import { findChanges } from '../../../scripts/support/schema-changes.ts'
import '#test/support/catalogue.ts'
import { openTestDatabase, projectSchema, type TestDatabase } from '#test/support/database.ts'
import { CheckedSite } from '#test/template/support/checked-entity.ts'
import { ReferringSite } from '#test/template/support/referring-entity.ts'

describe('npm run migrate -- create', () => {
  it('generates up and down statements of the changed table and ignores triggers of other tables, and procedures', async () => {
    const database = await openTestDatabase(await projectSchema())
    try {
      await migrate(database)
      const connection = database.orm.em.getConnection()
      await connection.execute(`create procedure count_albums() language sql as 'select count(*) from albums'`)
      await connection.execute('drop index albums_title_id_index')
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

  describe('for a table with check constraints', () => {
    const table = `create table checked_sites (id serial primary key, name text null, latitude double precision not null,
      longitude double precision not null, height real not null,
      constraint sites_latitude check (latitude between -90 and 90),
      constraint sites_longitude check (longitude >= -180 and longitude <= 180),
      constraint sites_height check (height > 0 and height < 9000.5),
      constraint sites_name check (name = 'one' or name = 'two;' or length(name) > 2))`
    const discovery = discoveryOf('checked-sites', 'checked-entity.ts')
    let database: TestDatabase
    const execute = (statement: string) => database.orm.em.getConnection().execute(statement)

    beforeEach(async () => {
      database = await openTestDatabase({ entities: [CheckedSite], migrations: [] })
      await execute(table)
    })
    afterEach(() => database.close())

    it('finds no difference if PostgreSQL stores the expressions of the entity in another form', async () => {
      await execute('alter table checked_sites drop constraint sites_name')
      await execute(`alter table checked_sites add constraint sites_name
        check (name = any (array['one', 'two;']) or length(name) > 2)`)
      expect(await findChanges(database.orm, discovery)).to.deep.equal([])
    })

    it('replaces a changed check, and restores the previous one as PostgreSQL shows it', async () => {
      await execute('alter table checked_sites drop constraint sites_name')
      await execute(`alter table checked_sites add constraint sites_name check (name <> ';')`)
      await execute('alter table checked_sites drop constraint sites_latitude')
      await execute('alter table checked_sites add constraint sites_latitude check (latitude < 80)')
      await execute('alter table checked_sites add constraint added check (longitude < 80)')
      const [change] = await findChanges(database.orm, discovery)
      const named = (statements: readonly string[] = []) =>
        statements.flatMap(
          (statement) => / constraint "([^"]+)"( check)?/.exec(statement)?.slice(1, 3).join('') ?? statement,
        )
      expect(named(change?.up)).to.have.members([
        'added',
        'sites_latitude',
        'sites_name',
        'sites_latitude check',
        'sites_name check',
      ])
      const before = await definitions()
      for (const statement of change?.up ?? []) await execute(statement)
      expect(await findChanges(database.orm, discovery)).to.deep.equal([])
      for (const statement of change?.down ?? []) await execute(statement)
      expect(await definitions()).to.deep.equal(before)
    })

    const definitions = () =>
      execute(
        `select conname, pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'c' order by conname`,
      )
  })

  describe('for a column with two foreign keys', () => {
    const table = `create table referring_sites (id serial primary key, parent_id integer not null default 1,
      constraint sites_parent foreign key (parent_id) references referring_sites,
      constraint sites_parent_again foreign key (parent_id) references referring_sites)`
    const discovery = discoveryOf('referring-sites', 'referring-entity.ts')
    let database: TestDatabase

    beforeEach(async () => {
      database = await openTestDatabase({ entities: [ReferringSite], migrations: [] })
      await database.orm.em.getConnection().execute(table)
    })
    afterEach(() => database.close())

    it('finds no difference if the entity declares one of them', async () => {
      expect(await findChanges(database.orm, discovery)).to.deep.equal([])
    })

    it('replaces the only foreign key if the entity declares another name', async () => {
      await database.orm.em.getConnection().execute('alter table referring_sites drop constraint sites_parent')
      const [change] = await findChanges(database.orm, discovery)
      expect(
        change?.up.map((statement) => / (drop|add) constraint "([^"]+)"/.exec(statement)?.slice(1, 3)),
      ).to.deep.equal([
        ['drop', 'sites_parent_again'],
        ['add', 'sites_parent'],
      ])
    })
  })
})

/** A project with one folder, whose entity is a file of the support of tests. */
function discoveryOf(name: string, file: string): Discovery {
  const entity = join(root, 'test/template/support', file)
  const folder = { name, resource: '', entity, seed: null, migrations: [], actions: [] }
  return { root, paths: [], folders: [folder], faults: [] }
}
