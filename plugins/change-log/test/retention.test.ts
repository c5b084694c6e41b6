import { expect } from 'chai'
import type { Job } from '#jobs'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { eventually } from '#test/support/eventually.ts'
import { statementsOf } from '#test/support/statements.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { removalWorker } from '../retention.ts'

describe('Retention of the change log', () => {
  let database: Database
  let started: TestApp
  const run = (sql: string) => started.app.store.query(sql)
  const remove = () => removalWorker(started.app)({ finish: async () => true } as Pick<Job, 'finish'> as Job)
  const types = async () =>
    (await run('select distinct l.type from change_log l order by l.type')).map(({ type }) => type)
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    await started.app.start()
    await started.app.store.queue.stop()
    await run(`insert into shelves (name) values ('a')`)
    await run(`insert into books (title) values ('b')`)
    await run(`insert into tags (id, name) values (gen_random_uuid(), 'c')`)
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  it('keeps changes until they are old and every consumer has taken them, and the history for longer', async () => {
    await remove()
    expect(await types()).to.deep.equal(['books', 'shelves', 'tags'])
    await run(`update change_log set changed_at = now() - interval '31 days'`)
    await remove()
    expect(await types()).to.deep.equal(['books', 'shelves', 'tags'])
    await run('update change_consumers set position = (select max(sequence) from change_log)')
    await remove()
    expect(await types()).to.deep.equal(['shelves'])
  })

  it('removes the types one after the other by their index, and sends no statement for a history that is kept forever', async () => {
    const fill = async () => {
      await run(`insert into change_log (type, key, kind, members, changed_at)
        select name, n::text, 'updated', '{}', now() - interval '40 days'
        from generate_series(1, 2000) n, (values ('shelves'), ('books'), ('removed')) t (name)`)
      await run('update change_consumers set position = (select max(sequence) from change_log)')
      await run('analyze change_log')
    }
    await fill()
    const sent = await statementsOf(remove)
    const removals = sent.filter(({ sql }) => sql.includes('delete from change_log'))
    expect(removals.map(({ parameters: [type] }) => type)).to.deep.equal(['books', 'removed'])
    expect(await types()).to.deep.equal(['shelves'])
    await fill()
    for (const { sql, parameters } of removals) {
      const plan = await started.app.store.query(`explain (costs off) ${sql}`, parameters)
      const text = plan.map((line) => String(Object.values(line)[0]).trim()).join('\n')
      expect(text).to.include(`Index Cond: ((type = '${parameters[0]}'::text) AND (changed_at <`)
      expect(text)
        .to.include('Index Scan using change_log_pkey on change_log\n')
        .and.not.to.include('Seq Scan on change_log')
    }
    await remove()
  })

  it('keeps the history of a type for which another version has `history: true`', async () => {
    await run(`insert into change_log (type, key, kind, members, changed_at)
      values ('songs', '1', 'updated', '{}', now() - interval '40 days')`)
    await run('update change_consumers set position = (select max(sequence) from change_log)')
    await run(`insert into change_declarations (table_name, record)
      values ('"songs"', '{"rows":[{"type":"songs","key":"id","columns":{},"kept":{}}],"links":[]}')`)
    await remove()
    expect(await types()).to.deep.equal(['shelves', 'songs'])
    await run(`delete from change_declarations where table_name = '"songs"'`)
    await remove()
    expect(await types()).to.deep.equal(['shelves'])
  })

  const finished = `insert into change_deliveries (consumer, receiver, sequence, type, key, payload, state, finished_at)
    values ('webhooks', 'r', 1, 'books', '1', '{}', 'delivered', now() - interval '31 days')`
  const deliveries = async () => (await run('select state from change_deliveries')).map(({ state }) => state)

  it('removes finished deliveries although changes cannot be removed', async () => {
    await run(finished)
    await run(`update change_log set changed_at = now() - interval '31 days', type = 'books'`)
    await run(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end'`)
    await run('create trigger refuse before delete on change_log for each row execute function refuse()')
    const error = await remove().catch((failure: Error) => failure)
    await run('drop function refuse() cascade')
    expect(String(error)).to.include('refused')
    expect(await deliveries()).to.deep.equal([])
  })

  it('keeps a delivery that is sent again at the same time (needs a server: two connections)', async function () {
    if (!process.env.DATABASE_URL) this.skip() // the embedded database has one connection
    await run(finished)
    const blocked = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    const sendAgain = `update change_deliveries set state = 'waiting', finished_at = null`
    const { removal } = await started.app.store.write(async (unit) => {
      await unit.run(sendAgain, [])
      let hasEnded = false
      const removal = remove().finally(() => {
        hasEnded = true
      })
      await eventually(async () => hasEnded || (await unit.run(blocked, [])).length > 0)
      return { removal }
    })
    await removal
    expect(await deliveries()).to.deep.equal(['waiting'])
  })
})
