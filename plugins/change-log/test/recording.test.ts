import { expect } from 'chai'
import type { Attribute, ResourceType } from '#kernel/plugin'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { add, atomicHeaders } from '#test/support/batch.ts'
import { as } from '#test/support/principals.ts'
import { openRecordedLibrary, startRecordedLibrary } from '#test/template/support/recorded-library.ts'
import { changeColumns, type LogRow, toLogRow } from '../change.ts'
import { ensureTriggers } from '../install-triggers.ts'
import { tableRecords } from '../table-records.ts'

const tag = '00000000-0000-4000-8000-000000000001'
const ada = 'ada@example.com'

describe('change-log', () => {
  let database: Database
  let started: TestApp
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
  })
  after(async () => {
    await started.close()
    await database.close()
  })

  const query = (sql: string, parameters: readonly unknown[] = []) => started.app.store.query(sql, parameters)
  let last = '0'

  /** The changes since the last call. */
  async function changes(): Promise<LogRow[]> {
    const rows = await query(
      `select ${changeColumns} from change_log l where sequence > $1::bigint order by sequence`,
      [last],
    )
    const found = rows.map(toLogRow)
    last = found.at(-1)?.sequence ?? last
    return found
  }
  const summary = async () =>
    (await changes()).map(({ kind, type, key, members }) => [kind, `${type}/${key}`, ...members].join(' '))

  const resource = (type: string, attributes: object, rest: object = {}) => ({ data: { type, attributes, ...rest } })
  const to = (type: string, id: string) => ({ data: { type, id } })

  it('leaves the copies of triggers on partitions to PostgreSQL', async () => {
    await query('create table visits (at date) partition by range (at)')
    await query(`create table visits_2026 partition of visits for values from ('2026-01-01') to ('2027-01-01')`)
    await query(
      `create trigger change_log_record after insert on visits for each row execute function change_log_record('{}')`,
    )
    started.app.changeTriggers = null
    await ensureTriggers(started.app)
    expect(
      await query(`select tgname from pg_trigger where tgrelid in ('visits'::regclass, 'visits_2026'::regclass)`),
    ).to.deep.equal([])
    await query('drop table visits')
  })

  it('finds the columns of the children of a map', () => {
    const books = started.app.registry.types.get('books') as ResourceType
    const child = { ...(books.fields.get('title') as Attribute), name: 'label' }
    const map = { ...child, name: 'labels', kind: 'map', property: null, children: [child] } as unknown as Attribute
    const [record] = tableRecords([{ ...books, attributes: [map], relations: [] }]).values()
    expect(record?.rows[0]?.columns).to.deep.equal({ title: ['labels'] })
  })

  it('records a create with the principal, the request and the members that have a value', async () => {
    const response = await started.client.post('/shelves', resource('shelves', { name: 'A' }), as(ada))
    const [change, ...others] = await changes()
    expect(others).to.deep.equal([])
    expect(change).to.include({ kind: 'created', type: 'shelves', key: '1', principal: ada })
    expect(change).to.deep.include({ members: ['name'], before: null, after: { name: 'A' } })
    expect(change?.requestId).to.equal(response.headers.get('x-request-id'))
    expect(change?.changedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('records an update with the values before and after if the type has a history', async () => {
    await started.client.patch('/shelves/1', resource('shelves', { name: "B's" }, { id: '1' }))
    const [change] = await changes()
    expect(change).to.deep.include({ kind: 'updated', members: ['name'], principal: null })
    expect(change).to.deep.include({ before: { name: 'A' }, after: { name: "B's" } })
  })

  it('records nothing for an update that changes no value, or is rolled back', async () => {
    await started.client.patch('/shelves/1', resource('shelves', { name: "B's" }, { id: '1' }))
    const refused = await started.client.patch('/shelves/1', resource('shelves', { name: null }, { id: '1' }))
    expect(refused.status).to.equal(422)
    expect(await changes()).to.deep.equal([])
  })

  it('records a relationship that is changed from the side of the foreign key for both resources', async () => {
    const relationships = { shelf: to('shelves', '1') }
    await started.client.post('/books', resource('books', { title: 'X' }, { relationships }))
    expect(await summary()).to.have.members(['created books/1 position shelf title', 'related shelves/1 books'])
    await started.client.patch('/books/1/relationships/shelf', { data: null })
    expect(await summary()).to.deep.equal(['updated books/1 shelf', 'related shelves/1 books'])
  })

  it('records a relationship that is changed from the side of the to-many for both resources', async () => {
    await started.client.post('/shelves/1/relationships/books', { data: [{ type: 'books', id: '1' }] })
    const [book, shelf] = await changes()
    expect(book).to.deep.include({ kind: 'updated', type: 'books', key: '1', members: ['shelf'] })
    expect(shelf).to.deep.include({ kind: 'related', type: 'shelves', before: null, after: { books: '1' } })
  })

  it('records a many-to-many for both resources, whichever side changes it', async () => {
    await started.client.post('/tags', resource('tags', { name: 'new' }, { id: tag }))
    await changes()
    await started.client.post('/books/1/relationships/tags', { data: [{ type: 'tags', id: tag }] })
    expect(await summary()).to.have.members(['related books/1 tags', `related tags/${tag} books`])
    await started.client.delete(`/tags/${tag}/relationships/books`, { data: [{ type: 'books', id: '1' }] })
    expect(await summary()).to.have.members(['related books/1 tags', `related tags/${tag} books`])
  })

  it('records a soft deletion as deleted, its end as restored, and a deletion for good as deleted', async () => {
    await started.client.delete('/books/1')
    expect(await summary()).to.deep.equal(['deleted books/1'])
    await started.client.post('/books/1/-actions/restore', undefined)
    expect(await summary()).to.deep.equal(['restored books/1'])
    await started.client.delete('/books/1')
    await changes()
    await started.client.post('/books/1/-actions/forceDelete', undefined)
    expect(await summary()).to.deep.equal(['deleted books/1', 'related shelves/1 books'])
  })

  it('records the operations of a batch in one transaction, with its principal', async () => {
    const operations = [add('shelves', { name: 'C' }), add('shelves', { name: 'D' }), add('books', { title: 'Y' })]
    const headers = { ...atomicHeaders, ...as(ada) }
    const response = await started.client.post('/operations', { 'atomic:operations': operations }, headers)
    expect(response.status).to.equal(200)
    const found = await changes()
    expect(found.map(({ kind, principal }) => [kind, principal])).to.deep.equal(Array(3).fill(['created', ada]))
    const transactions = await query('select distinct transaction::text from change_log where sequence > $1::bigint', [
      found[0]?.sequence === undefined ? '0' : String(BigInt(found[0].sequence) - 1n),
    ])
    expect(transactions).to.have.length(1)
  })

  it('records SQL of the application without a principal', async () => {
    await query(`update shelves set name = 'E' where id = 1`)
    expect(await changes())
      .to.deep.include.members([])
      .and.to.have.length(1)
  })

  it('does not keep values of hidden members', async () => {
    const [row] = await query(`select after::text as after from change_log where type = 'books' and after is not null`)
    expect(row).to.equal(undefined)
  })
})
