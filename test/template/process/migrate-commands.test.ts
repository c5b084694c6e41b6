import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Migration } from '@mikro-orm/migrations'
import { expect } from 'chai'
import { executedMigrations, markAsApplied, migrate, pendingMigrations, revert, StartupError } from '#store'
import { openTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { findBaseline } from '../../../scripts/support/baseline.ts'

function createMigration(name: string, up: readonly string[], down: readonly string[] = []) {
  return {
    name,
    file: `resources/people/migrations/${name}.ts`,
    class: class extends Migration {
      override up(): void {
        for (const sql of up) this.addSql(sql)
      }
      override down(): void {
        for (const sql of down) this.addSql(sql)
      }
    },
  }
}

const people = createMigration('1_people', ['create table "people" ("id" int)'], ['drop table "people"'])
const tags = createMigration('2_tags', ['create table "tags" ("id" int)'], ['drop table "tags"'])

describe('Migration commands', () => {
  let database: TestDatabase
  const open = async (...migrations: ReturnType<typeof createMigration>[]) => {
    database = await openTestDatabase({ entities: [], migrations })
    return database
  }
  const execute = (sql: string) => database.orm.em.fork().execute(sql)
  const tables = async () => {
    const rows = await execute(`select tablename as name from pg_tables where schemaname = 'public' order by 1`)
    return (rows as { name: string }[]).map(({ name }) => name)
  }
  const failure = async (work: Promise<unknown>): Promise<string> => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(StartupError)
    return (error as Error).message
  }
  afterEach(() => database.close())

  it('names file, message, position and statement of a migration that fails, and applies none', async () => {
    await open(people, createMigration('2_broken', ['create table "tags" (\n  "id" int,\n  "at" tymestamp\n)']))
    expect(await failure(migrate(database))).to.equal(
      'The migration resources/people/migrations/2_broken.ts failed: type "tymestamp" does not exist, at line 3, character 8' +
        ' of: create table "tags" ( "id" int, "at" tymestamp ). No migration was applied.',
    )
    expect(await tables()).not.to.include('people')
  })

  it('names the part of a long statement around the position', async () => {
    const columns = Array.from({ length: 100 }, (_, n) => `"column_${n}" int`).join(', ')
    await open(createMigration('1_long', [`create table "long" (${columns}, "last" tymestamp)`]))
    const message = await failure(migrate(database))
    expect(message).to.match(/at character \d+ of: … .*"last" tymestamp\)\. No migration was applied\.$/)
    expect(message.length).to.be.below(400)
  })

  it('names the command that marks migrations as applied when a table exists already', async () => {
    await open(people)
    await execute('create table "people" ("id" int)')
    expect(await failure(migrate(database))).to.equal(
      'The migration resources/people/migrations/1_people.ts failed: relation "people" already exists, in: create table' +
        ' "people" ("id" int). No migration was applied. If the database has this schema already, npm run' +
        ' migrate -- baseline marks its migrations as applied.',
    )
  })

  it('names that command when a function or a dictionary of the text search exists already', async () => {
    const statements = [
      `create function one() returns int language sql return 1`,
      'create text search dictionary short_words (template = simple)',
    ]
    for (const statement of statements) {
      await open(createMigration('1_existing', [statement]))
      await execute(statement)
      expect(await failure(migrate(database)), statement).to.match(
        /^The migration resources\/.+ already exists( with same argument types)?, in: create .+ npm run migrate -- baseline marks its migrations as applied\.$/,
      )
      await database.close()
    }
    await open()
  })

  it('marks pending migrations whose tables exist as applied, and leaves the others', async () => {
    await open(people, tags, createMigration('3_fill', ['insert into people values (1)']))
    await execute('create table "people" ("id" int)')
    const { existing, left } = await findBaseline(database)
    expect(existing).to.deep.equal(['1_people'])
    expect(left).to.deep.equal([
      { name: '2_tags', reason: 'its table tags is not in the database' },
      { name: '3_fill', reason: 'it creates no table; name it to mark it' },
    ])
    await markAsApplied(database, existing)
    expect(await migrate(database)).to.deep.equal(['2_tags', '3_fill'])
  })

  it('marks the named migrations as applied, and throws for a name that is not pending', async () => {
    await open(people, tags)
    expect((await findBaseline(database, ['2_tags'])).existing).to.deep.equal(['2_tags'])
    expect(await failure(findBaseline(database, ['3_none']))).to.equal(
      `'3_none' is not a pending migration. Pending: 1_people, 2_tags.`,
    )
  })

  it('throws when only a part of the tables of a migration exists', async () => {
    await open(createMigration('1_both', ['create table "people" ("id" int)', 'create table "tags" ("id" int)']))
    await execute('create table "people" ("id" int)')
    expect(await failure(findBaseline(database))).to.include('the database has people but not tags')
  })

  it('throws when a table of a plugin has other columns, also when its migration is named', async () => {
    const keys = `create table "api_keys" ("id" uuid, "start" varchar(12) default 'a,b(', "price" numeric(4, 2), constraint "k" unique ("id"))`
    await open(people, createMigration('api-keys/1_keys', [keys]))
    await execute('create table people (name text)')
    await execute('create table api_keys (id serial, label text)')
    const sentence =
      'The table api_keys lacks the columns start, price of the table that the plugin api-keys creates under this name: another' +
      ' program uses it. Remove the plugin with npm run plugin -- remove api-keys, or rename the table.'
    expect(await failure(findBaseline(database))).to.equal(sentence)
    expect(await failure(findBaseline(database, ['api-keys/1_keys']))).to.equal(sentence)
    await execute('alter table api_keys add column start text, add column price integer')
    expect((await findBaseline(database)).existing).to.deep.equal(['1_people', 'api-keys/1_keys'])
  })

  it('sends no statement of a migration that would send it itself when it looks for tables', async () => {
    class Sending extends Migration {
      override async up(): Promise<void> {
        this.addSql('create table "people" ("id" int)')
        await this.execute('create table "sent" ("id" int)')
      }
    }
    await open({ ...people, class: Sending as never })
    expect((await findBaseline(database)).existing).to.deep.equal([])
    expect(await tables()).to.deep.equal([])
  })

  it('reverts the last migration, or several, and applies them again', async () => {
    await open(people, tags)
    await migrate(database)
    expect(await revert(database)).to.deep.equal(['2_tags'])
    expect(await pendingMigrations(database)).to.deep.equal(['2_tags'])
    expect(await migrate(database)).to.deep.equal(['2_tags'])
    expect(await revert(database, 5)).to.deep.equal(['2_tags', '1_people'])
    expect(await tables()).to.deep.equal(['migrations'])
  })

  it('reverts none when one of several fails', async () => {
    await open(people, createMigration('2_tags', ['create table "tags" ("id" int)'], ['drop table "toggs"']))
    await migrate(database)
    expect(await failure(revert(database, 2))).to.include('2_tags.ts failed: table "toggs" does not exist')
    expect((await executedMigrations(database)).map(({ name }) => name)).to.deep.equal(['1_people', '2_tags'])
  })

  it('creates no table when it lists pending migrations', async () => {
    await open(people)
    expect(await pendingMigrations(database)).to.deep.equal(['1_people'])
    expect(await tables()).to.deep.equal([])
  })

  it('throws with MIGRATIONS_TABLE when another program has a table of migrations', async () => {
    await open(people)
    await execute('create table "migrations" ("id" int, "migration" text, "batch" int)')
    const sentence =
      'The table public.migrations has the columns id, migration, batch: another program uses it for its migrations. ' +
      'Set MIGRATIONS_TABLE to another name.'
    expect(await failure(migrate(database))).to.equal(sentence)
    expect(await failure(pendingMigrations(database))).to.equal(sentence)
    expect(await failure(findBaseline(database))).to.equal(sentence)
  })
})

describe('Arguments of the migration commands', () => {
  const dataDir = join(tmpdir(), `no-database-${process.pid}`)
  const run = (script: string, ...args: string[]) => runCommand([`scripts/${script}`, ...args], { DATA_DIR: dataDir })

  for (const script of ['migrate.ts', 'migrate-down.ts', 'migrate-status.ts', 'migrate-baseline.ts']) {
    it(`of ${script}: --help prints the usage, an unknown option exits with 1, and neither opens the database`, async () => {
      const help = await run(script, '--help')
      expect(help.code).to.equal(0)
      expect(help.stdout).to.match(/^npm run migrate/)
      const unknown = await run(script, '--hepl')
      expect(unknown.code).to.equal(1)
      expect(unknown.stderr).to.match(/^Unknown option '--hepl'\.\n\nnpm run migrate/)
      expect(existsSync(dataDir)).to.equal(false)
    })
  }

  it('of migrate-down.ts: a count that is not a number exits with 1', async () => {
    const { code, stderr } = await run('migrate-down.ts', 'all')
    expect([code, stderr.split('\n')[0]]).to.deep.equal([1, `'all' is not a number of migrations.`])
  })
})
