import { expect } from 'chai'
import type { Unit } from '#kernel/plugin'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { ensureTriggers } from '../install-triggers.ts'
import { CreateChangeLog } from '../migration.ts'

// A restore, another role or a tool of the database may have another search_path than the service.

class Undone extends Error {}

describe('The triggers of the change log without the schema in the search_path', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    await ensureTriggers(started.app)
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  /** Runs the statements in a transaction that is rolled back, and returns the rows of the last one. */
  async function rowsOf(...statements: readonly string[]) {
    let rows: readonly object[] = []
    const work = async (unit: Unit) => {
      for (const sql of statements) rows = await unit.run(sql, [])
      throw new Undone()
    }
    await started.app.store.write(work).catch((error) => {
      if (!(error instanceof Undone)) throw error
    })
    return rows
  }
  const restricted = 'set local search_path = pg_catalog'
  const insertDelivery = (schema: string, sequence: number) =>
    `insert into ${schema}.change_deliveries (consumer, receiver, sequence, type, key, payload)
     values ('webhooks', 'r', ${sequence}, 'books', '1', '{}')`

  it('record changes', async () => {
    const rows = await rowsOf(
      restricted,
      `insert into public.shelves (id, name) values (1, 'A')`,
      `update public.shelves set name = 'B'`,
      'delete from public.shelves',
      'select kind from public.change_log order by sequence',
    )
    expect(rows).to.deep.equal([{ kind: 'created' }, { kind: 'updated' }, { kind: 'deleted' }])
  })

  it('keep the order of deliveries', async () => {
    const rows = await rowsOf(
      restricted,
      ...[1, 2, 3].map((sequence) => insertDelivery('public', sequence)),
      `update public.change_deliveries set state = 'delivered' where sequence = 1`,
      'delete from public.change_deliveries where sequence = 2',
      'select sequence::int as sequence, is_first as "isFirst" from public.change_deliveries order by sequence',
    )
    expect(rows).to.deep.equal([
      { sequence: 1, isFirst: false },
      { sequence: 3, isFirst: true },
    ])
  })

  it('use the schema in which the migration has created them', async () => {
    const { orm } = database
    const migration = new CreateChangeLog(orm.em.getDriver(), orm.config)
    migration.up()
    const rows = await rowsOf(
      'create schema "Other"',
      'set local search_path = "Other"',
      ...migration.getQueries().map(String),
      'create table songs (id int primary key)',
      `create trigger change_log_record after insert on songs for each row
       execute function change_log_record('{"rows":[{"type":"songs","key":"id","members":[]}],"links":[]}')`,
      `insert into change_declarations (table_name, record) values ('songs', '')`,
      restricted,
      'insert into "Other".songs values (7)',
      insertDelivery('"Other"', 1),
      'select l.type, l.key, d.is_first as "isFirst" from "Other".change_log l, "Other".change_deliveries d',
    )
    expect(rows).to.deep.equal([{ type: 'songs', key: '7', isFirst: true }])
  })

  it('call only functions with a search_path of their own', async () => {
    const functions = await started.app.store.query(
      `select distinct p.proname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
       where not t.tgisinternal and (p.proconfig is null or not exists (
         select from unnest(p.proconfig) c where c like 'search_path=%'))`,
    )
    expect(functions).to.deep.equal([])
  })
})
