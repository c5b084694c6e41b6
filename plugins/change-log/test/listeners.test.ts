import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Database } from '#store'
import { root, type TestApp } from '#test/support/app.ts'
import {
  deliverCommitted,
  lengthenPauses,
  onBookChange,
  openRecordedLibrary,
  readCommitted,
  startRecordedLibrary,
} from '#test/template/support/recorded-library.ts'
import type { Change, Consumer } from '../index.ts'
import { listenerConsumers } from '../listeners.ts'
import { runConsumer } from '../run-consumer.ts'

describe('onChange', () => {
  let database: Database
  let started: TestApp
  const received: Change[] = []
  const book = (title: string) => ({ data: { type: 'books', attributes: { title } } })
  const rename = (id: string, title: string) =>
    started.client.patch(`/books/${id}`, { data: { type: 'books', id, attributes: { title } } })
  const deliver = () => deliverCommitted(started.app)
  const titles = () => received.splice(0).map(({ id, kind }) => `${kind} ${id}`)
  /** Ends the pauses after failed attempts. */
  const skipPauses = () => started.app.store.query('update change_deliveries set due_at = now()')

  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database)
    onBookChange.listener = (change) => void received.push(change)
    await started.app.start()
    await started.app.store.queue.stop()
    await lengthenPauses(started.app)
  })
  after(async () => {
    onBookChange.listener = () => {}
    await started.close()
    await database.close()
  })

  it('receives committed changes with their id, members and time', async () => {
    await started.client.post('/books', book('A'))
    await deliver()
    const [change, ...others] = received.splice(0)
    expect(others).to.deep.equal([])
    expect(change).to.deep.include({ kind: 'created', type: 'books', id: '1', members: ['position', 'title'] })
    expect(change).to.have.all.keys('sequence', 'kind', 'type', 'id', 'members', 'principal', 'requestId', 'changedAt')
    await deliver()
    expect(received).to.deep.equal([])
  })

  it('does not receive an update of columns that are no members', async () => {
    await started.app.store.query(`update books set pages = 5 where id = 1`)
    await deliver()
    expect(received).to.deep.equal([])
  })

  it('is called again after an error, while changes of the same resource wait and others do not', async () => {
    await started.client.post('/books', book('B'))
    await deliver()
    received.splice(0)
    let fails = true
    onBookChange.listener = (change) => {
      if (change.id === '1' && fails) throw new Error('The listener fails.')
      received.push(change)
    }
    await rename('1', 'A1')
    await rename('2', 'B1')
    await started.client.delete('/books/1')
    await deliver()
    expect(titles()).to.deep.equal(['updated 2'])
    fails = false
    await skipPauses()
    await deliver()
    expect(titles()).to.deep.equal(['updated 1', 'deleted 1'])
  })

  it('is called again if the process ends before the call is confirmed', async () => {
    await rename('2', 'B2')
    await deliver()
    received.splice(0)
    await rename('2', 'B3')
    onBookChange.listener = () => new Promise(() => {}) // a process that is killed never ends the call
    await readCommitted(started.app)
    const killed = new AbortController()
    const signals = { closing: killed.signal, stopping: killed.signal }
    const [consumer] = listenerConsumers(started.app) as [Consumer]
    void runConsumer(started.app, consumer, { position: -1n, failing: new Set() }, signals)
    const { store } = started.app
    while ((await store.query(`select 1 from change_deliveries where attempts > 0`)).length === 0);
    killed.abort()
    await store.query(`update change_deliveries set claimed_until = now() - interval '1 second'`)
    onBookChange.listener = (change) => void received.push(change)
    await deliver()
    expect(titles()).to.deep.equal(['updated 2'])
  })

  it('is given up after its last attempt, and the next change of the resource follows', async () => {
    onBookChange.listener = (change) => {
      if (change.kind === 'updated') throw new Error('The listener fails.')
      received.push(change)
    }
    await rename('2', 'B4')
    await deliver()
    await started.app.store.query(`update change_deliveries set attempts = 15, due_at = now()`)
    await started.client.delete('/books/2')
    await deliver()
    await deliver()
    expect(titles()).to.deep.equal(['deleted 2'])
    const dead = await started.app.store.query(`select error from change_deliveries where state = 'dead'`)
    expect(dead).to.deep.equal([{ error: 'The listener fails.' }])
  })

  it('is called again for a dead letter after the statement of docs/change-log.md', async () => {
    const page = readFileSync(join(root, 'docs/change-log.md'), 'utf8')
    const [, statement = ''] = /```sql\n([^`]+)```/.exec(page) ?? []
    onBookChange.listener = (change) => void received.push(change)
    await started.app.store.query(statement.replace('onChange songs', 'onChange books'))
    const waiting = await started.app.store.query(
      `select state, attempts, error, finished_at from change_deliveries where type = 'books'`,
    )
    expect(waiting).to.deep.equal([{ state: 'waiting', attempts: 0, error: null, finished_at: null }])
    await deliver()
    expect(titles()).to.deep.equal(['updated 2'])
    expect(await started.app.store.query('select 1 from change_deliveries')).to.deep.equal([])
  })
})
