import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { ResourceType } from '#kernel/plugin'
import { open } from '#plugins/authorization/index.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { statementsOf } from '#test/support/statements.ts'
import { Book, Label, Shelf, Tag } from '#test/template/support/library/entities.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { type LogRow, toChange } from '../change.ts'
import { checkTriggers, ensureTriggers } from '../install-triggers.ts'
import { listenerConsumers } from '../listeners.ts'
import { mergeRecords } from '../merge-records.ts'
import type { TableRecord } from '../table-records.ts'

// Two versions of an application: the older one records books with their title, the newer one shelves, and books with their
// position and their former values.

const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })
const older = [
  defineResource(Book, {
    type: 'books',
    changes: true,
    policy: open,
    fields: ({ id, string }) => [id(), string('title').required()],
  }),
  defineResource(Shelf, { type: 'shelves', policy: open, fields: ({ id, string }) => [id(), string('name')] }),
]
const newer = [
  defineResource(Book, {
    type: 'books',
    changes: true,
    history: true,
    onChange: () => {},
    policy: open,
    fields: ({ id, integer, belongsTo }) => [id(), integer('position'), belongsTo('shelf', 'shelves')],
  }),
  defineResource(Shelf, {
    type: 'shelves',
    changes: true,
    policy: open,
    fields: ({ id, string, hasMany }) => [id(), string('name'), hasMany('books', 'books')],
  }),
]

describe('The triggers of the change log', () => {
  let database: Database
  const started: TestApp[] = []
  beforeEach(async () => {
    database = await openRecordedLibrary()
  })
  afterEach(async () => {
    for (const one of started.splice(0)) await one.close()
    await database.close()
  })

  /** Starts a version of the application. */
  async function start(version: typeof older | typeof newer): Promise<TestApp> {
    const resources = [...version, tags, labels].map((resource) => ({ file: 'triggers.test.ts', resource }))
    const app = await startRecordedLibrary(database, { resources })
    started.push(app)
    await ensureTriggers(app.app)
    return app
  }
  /** Checks the triggers again, as an application does at an interval. */
  const check = async ({ app }: TestApp) => {
    app.changeTriggers = null
    await ensureTriggers(app)
  }
  const run = (sql: string) => (started[0] as TestApp).app.store.query(sql)
  const changes = async () =>
    (await run('select type, kind, members, before, after from change_log order by sequence')).map(
      ({ type, kind, members }) => [kind, type, ...(members as string[])].join(' '),
    )
  const tables = async () =>
    (
      await run(`select tgrelid::regclass::text as name from pg_trigger where tgname = 'change_log_record' order by 1`)
    ).map(({ name }) => name)
  const expire = (table: string) =>
    run(`update change_declarations set declared_at = now() - interval '25 hours' where table_name = '"${table}"'`)

  it('record a type although an older version without it has started later', async () => {
    const { client } = await start(newer)
    await start(older)
    const { status } = await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'A' } } })
    expect(status).to.equal(201)
    expect(await changes()).to.deep.equal(['created shelves name'])
  })

  for (const versions of [
    [older, newer],
    [newer, older],
  ] as const)
    it(`record the members of both versions: the ${versions[0] === older ? 'newer' : 'older'} one starts last`, async () => {
      for (const version of versions) await start(version)
      await run(`insert into books (id, title, position) values (1, 'A', 1)`)
      await run('update books set position = 2 where id = 1')
      expect(await changes()).to.deep.equal(['created books position title', 'updated books position'])
      const [{ values } = {}] = await run(`select after::text as values from change_log where kind = 'updated'`)
      expect(JSON.parse(values as string)).to.deep.equal({ position: '2' })
    })

  it('remain as they are when a version starts again', async () => {
    await start(older)
    await start(newer)
    const read = () =>
      run(`select oid::text, tgrelid::text, tgargs::text from pg_trigger where tgname = 'change_log_record' order by 1`)
    const before = await read()
    for (const version of [older, newer]) await start(version)
    expect(await read())
      .to.deep.equal(before)
      .and.to.have.length(2)
  })

  it('are dropped and reduced a day after the last check by a version with the declaration', async () => {
    const later = await start(older)
    await start(newer)
    await check(later)
    expect(await tables()).to.deep.equal(['books', 'shelves'])
    await run(`update change_declarations set declared_at = now() - interval '23 hours'`)
    await check(later)
    expect(await tables()).to.deep.equal(['books', 'shelves'])
    for (const table of ['books', 'shelves']) await expire(table)
    await check(later)
    expect(await tables()).to.deep.equal(['books'])
    await run(`insert into books (id, title, position) values (1, 'A', 1)`)
    expect(await changes()).to.deep.equal(['created books title'])
  })

  it('are created again by the next check of a version whose declaration has expired', async () => {
    const earlier = await start(newer)
    const later = await start(older)
    for (const table of ['books', 'shelves']) await expire(table)
    await check(later)
    await check(earlier)
    expect(await tables()).to.deep.equal(['books', 'shelves'])
  })

  it('of a table that was dropped, or is a view now, do not prevent the start of another version', async () => {
    await start(newer)
    const record = `'{"rows":[],"links":[]}'`
    await run(
      `insert into change_declarations (table_name, record) values ('"dropped"', ${record}), ('"viewed"', ${record})`,
    )
    await run('create view viewed as select 1 as id')
    await start(older)
    expect(await tables()).to.deep.equal(['books', 'shelves'])
    await run('drop view viewed')
  })

  it('are checked by one statement if they are up to date', async () => {
    const again = await start(newer)
    expect(await statementsOf(() => check(again))).to.have.length(1)
  })

  it('are compared by their tables, which have other names with a schema', async () => {
    const again = await start(newer)
    await run(`insert into change_declarations (table_name, record)
      select '"public"."shelves"', record from change_declarations where table_name = '"shelves"'`)
    await run('create schema other create table songs (id integer primary key)')
    await run(`insert into change_declarations (table_name, record)
      values ('"other"."songs"', '{"rows":[{"type":"songs","key":"id","columns":{"id":["id"]}}],"links":[]}')`)
    await check(again)
    expect(await tables()).to.deep.equal(['books', 'other.songs', 'shelves'])
    expect(await statementsOf(() => check(again))).to.have.length(1)
    await run('insert into other.songs values (1)')
    expect(await changes()).to.deep.equal(['created songs id'])
  })

  it('do not block the start and other writers while a long transaction writes a table; writes of the service wait', async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
    await start(newer)
    await run('drop trigger change_log_record on books')
    const { app, client } = started[0] as TestApp
    app.changeTriggers = null
    const [began, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const long = app.store.write(async (unit) => {
      await unit.run(`insert into books (id, title) values (1, 'A')`, [])
      began.resolve()
      await end.promise
    })
    await began.promise
    await app.start()
    await app.store.queue.stop()
    const write = client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'A' } } })
    await run(`insert into books (id, title) values (2, 'B')`)
    end.resolve()
    await long
    expect((await write).status).to.equal(201)
    await run('update books set position = 77 where id = 2')
    expect(await changes()).to.deep.equal(['created shelves name', 'updated books position'])
  })

  it('record a deletion and a create when the key or the type of a row changes', async () => {
    const again = await start(newer)
    await run('create table animals (id integer primary key, kind text, name text)')
    const row = (type: string) => ({
      type,
      key: 'id',
      columns: { name: ['name'] },
      kept: { name: 'name' },
      discriminator: 'kind',
      values: [type],
    })
    await run(`insert into change_declarations (table_name, record)
      values ('"animals"', '${JSON.stringify({ rows: [row('cats'), row('dogs')], links: [] })}')`)
    await check(again)
    await run(`insert into animals values (1, 'cats', 'Tom'), (2, 'fish', 'Wanda')`)
    await run('update animals set id = 3 where id = 1')
    await run(`update animals set kind = 'dogs', name = 'Rex' where id = 3`)
    await run(`update animals set kind = 'fish' where id = 3`)
    const rows = await run(
      `select concat_ws(' ', kind, type, key, members::text, before ->> 'name', '->', after ->> 'name') as change from change_log
       order by sequence`,
    )
    expect(rows.map(({ change }) => change)).to.deep.equal([
      'created cats 1 {name} -> Tom',
      'deleted cats 1 {} Tom ->',
      'created cats 3 {name} -> Tom',
      'deleted cats 3 {} Tom ->',
      'created dogs 3 {name} -> Rex',
      'deleted dogs 3 {} Rex ->',
    ])
  })

  it('record nothing 30 days after the last check of a version, such as of a project that has removed the plugin', async () => {
    await start(newer)
    const age = (days: number) => run(`update change_declarations set declared_at = now() - interval '${days} days'`)
    await age(29)
    await run(`insert into shelves (id, name) values (1, 'A')`)
    await age(31)
    await run(`insert into shelves (id, name) values (2, 'B')`)
    expect(await changes()).to.deep.equal(['created shelves name'])
  })

  it('record the writes of a role without rights for the log, which cannot use their function', async () => {
    await start(newer)
    const role = `etl_${process.pid}`
    await run(`create role ${role}`)
    await run(`do $$ begin execute format('grant usage on schema %I to ${role}', current_schema()); end $$`)
    await run(`grant insert on shelves to ${role}`)
    const runAs = (...statements: readonly string[]) =>
      (started[0] as TestApp).app.store.write(async (unit) => {
        for (const sql of [`set local role ${role}`, ...statements]) await unit.run(sql, [])
      })
    try {
      await runAs(`insert into shelves (id, name) values (1, 'A')`)
      const forging = runAs(
        'create temp table forged (id int) on commit drop',
        'create trigger forged after insert on forged for each row execute function change_log_record()',
      )
      expect(await forging.catch(({ cause, message }) => cause?.message ?? message)).to.match(/permission denied/)
    } finally {
      await run(`drop owned by ${role}`)
      await run(`drop role ${role}`)
    }
    expect(await changes()).to.deep.equal(['created shelves name'])
  })

  it('are created again after another program has dropped them, by a check of the process or the write after a failed one', async () => {
    const { app, client } = await start(newer)
    await app.start()
    await app.store.queue.stop()
    expect(app.changeTriggerChecks).not.to.equal(undefined)
    await run('drop trigger change_log_record on shelves')
    await checkTriggers(app)
    expect(await tables()).to.deep.equal(['books', 'shelves'])
    await run('drop trigger change_log_record on shelves')
    const write = () => Promise.reject(new Error('The database is unavailable.'))
    const broken = { ...app, store: { ...app.store, write } }
    await checkTriggers(broken)
    expect(broken.changeTriggers).to.equal(null)
    app.changeTriggers = null
    await client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'A' } } })
    expect(await changes()).to.deep.equal(['created shelves name'])
  })
})

describe('A change that another version has recorded', () => {
  it('has the members of the version that reads it, and is no change for a listener without one', async () => {
    const database = await openRecordedLibrary()
    const resources = [...newer, tags, labels].map((resource) => ({ file: 'triggers.test.ts', resource }))
    const { app, close } = await startRecordedLibrary(database, { resources })
    const type = app.registry.types.get('books') as ResourceType
    const change = (...members: string[]) =>
      ({ type: 'books', kind: 'updated', key: '1', members }) as unknown as LogRow
    expect(toChange(type, change('position', 'title')).members).to.deep.equal(['position'])
    const plan = await listenerConsumers(app)[0]?.prepare([], null as never)
    expect(plan?.(change('title'))).to.deep.equal([])
    expect(plan?.(change('title', 'position'))?.[0]?.payload).to.deep.include({ members: ['position'] })
    await close()
    await database.close()
  })
})

describe('The record of a table for two versions', () => {
  const row = { type: 'a', key: 'id', columns: {} }
  const link = { type: 'a', member: 'm', owner: 'a_id', memberKey: 'id' }
  const merge = (first: object, second: object) =>
    mergeRecords([
      { rows: [{ ...row, ...first }], links: [] } as TableRecord,
      { rows: [{ ...row, ...second }], links: [] },
    ]).rows
  const mergeLinks = (first: object, second: object) =>
    mergeRecords([
      { rows: [], links: [{ ...link, ...first }] } as TableRecord,
      { rows: [], links: [{ ...link, ...second }] },
    ]).links

  it('has the columns, the kept values and the soft deletion of either', () => {
    expect(merge({ columns: { x: ['a'] } }, { columns: { x: ['b', 'a'], y: ['c'] } })).to.deep.equal([
      { ...row, columns: { x: ['a', 'b'], y: ['c'] } },
    ])
    expect(merge({ kept: { a: 'x' } }, { kept: { a: 'z', b: 'y' }, deleted: 'd' })).to.deep.equal([
      { ...row, kept: { a: 'x', b: 'y' }, deleted: 'd' },
    ])
    expect(mergeLinks({ columns: ['x'] }, { columns: ['y'], keeps: true })).to.deep.equal([
      { ...link, columns: ['x', 'y'], keeps: true },
    ])
  })

  it('has the keys of the newer one', () => {
    expect(merge({ key: 'new_id' }, {})).to.deep.equal([{ ...row, key: 'new_id' }])
    expect(mergeLinks({ owner: 'new_id' }, {})).to.deep.equal([{ ...link, owner: 'new_id' }])
  })

  it('is about all rows that one of them records', () => {
    const kinds = (...values: string[]) => ({ discriminator: 'kind', values })
    expect(merge(kinds('a'), kinds('b', 'a'))).to.deep.equal([{ ...row, ...kinds('a', 'b') }])
    expect(merge(kinds('a'), {})).to.deep.equal([row])
    expect(merge({}, kinds('a'))).to.deep.equal([row])
    expect(merge(kinds('a'), { discriminator: 'other', values: ['b'] })).to.deep.equal([{ ...row, ...kinds('a') }])
  })

  it('has the entries of both, also those of other types and members', () => {
    expect(merge({}, { type: 'b' })).to.deep.equal([row, { ...row, type: 'b' }])
    expect(mergeLinks({}, { member: 'n' })).to.deep.equal([link, { ...link, member: 'n' }])
  })
})
