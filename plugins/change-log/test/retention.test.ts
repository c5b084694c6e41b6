import { expect } from 'chai'
import type { Job } from '#jobs'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
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
})
