import { expect } from 'chai'
import pg from 'pg'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import { noContent } from '#plugins/actions/index.ts'
import { type Database, type DatabaseOptions, openDatabase } from '#store'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { TestApp } from '#test/support/app.ts'
import { sendBatch, update } from '#test/support/batch.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { advanceUntil, manualClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { fillLibrary, fillShelves } from '#test/template/specification/library-rows.ts'
import { describeIf, hasServer } from '#test/template/support/describe-if.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { shelvesWith } from '#test/template/support/library/shelves.ts'

// Another session holds row locks while requests of the service wait. Only a server has several connections.

const writers = 2 * defaultLimits.connections
const newShelf = { data: { type: 'shelves', attributes: { name: 'Drama' } } }
const resources = shelvesWith({
  actions: ({ action }) => [action('clear', { method: 'DELETE', answers: 'noContent', handle: () => noContent() })],
})
const shelf = (name: string, id: string) => ({ data: { type: 'shelves', id, attributes: { name } } })

describeIf(hasServer)('Writes that wait for a locked row', () => {
  let library: TestApp
  let client: Client
  let other: pg.Client
  let arrived: number

  beforeEach(async () => {
    await fillLibrary()
    other = new pg.Client({ connectionString: (await libraryDatabase()).url as string })
    await other.connect()
  })
  afterEach(async () => {
    await other.end()
    await library.close()
  })
  after(emptyLibrary)

  const start = async (database?: Database) => {
    arrived = 0
    const counter: Plugin = { name: 'counter', plan: addSteps({ authorize: async () => void arrived++ }) }
    library = await startLibrary({ resources, plugins: [...plugins, counter], ...(database && { database }) })
    client = library.client
  }
  /** Starts an application on a connection pool of its own, and closes it after the test. */
  const startOn = async (options: Pick<DatabaseOptions, 'clock'>): Promise<Database> => {
    const { url, orm } = await libraryDatabase()
    const entities = orm.config.get('entities') as object[]
    const database = await openDatabase({
      databaseUrl: url as string,
      entities,
      migrations: [],
      dataDir: null,
      ...options,
    })
    await start(database)
    return database
  }
  const waiting = async () => {
    const { rows } = await other.query(`select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return rows[0].count as number
  }
  const lockRows = async (sql: string) => {
    await other.query('begin')
    await other.query(sql)
  }
  /** Sends the writes, and resolves when all have arrived and one of them waits for the lock. */
  const sendAll = async (send: (index: number) => Promise<ClientResponse>) => {
    const before = arrived
    const answers = Array.from({ length: writers }, (_, index) => send(index))
    await eventually(async () => arrived - before === writers && (await waiting()) > 0)
    return answers
  }
  const expectReads = async () => {
    expect((await client.get('/shelves/1')).status).to.equal(200)
    expect((await client.get('/shelves/2?include=books')).status).to.equal(200)
    await eventually(async () => (await fetch(`${client.url}/ready`)).ok) // the database of a busy machine may respond late
  }
  const rename = (id: string, name: string) => client.patch(`/shelves/${id}`, shelf(name, id))

  for (const [description, send] of [
    ['updates', (index: number) => rename('1', `Shelf ${index}`)],
    ['deletions', () => client.delete('/shelves/1')],
    ['actions', () => client.delete('/shelves/1/-actions/clear')],
    ['updates of a relationship', () => client.patch('/books/1/relationships/shelf', { data: null })],
    [
      'batches',
      (index: number) => sendBatch(client, [update({ type: 'shelves', id: '1' }, { name: `Shelf ${index}` })]),
    ],
  ] as const) {
    it(`let reads and writes of other rows pass: ${writers} ${description}`, async () => {
      await start()
      await lockRows('select 1 from shelves join books on books.shelf_id = shelves.id where books.id = 1 for update')
      const answers = await sendAll(send)
      await expectReads()
      expect((await rename('2', 'Drama')).status).to.equal(200)
      expect((await client.post('/shelves', newShelf)).status).to.equal(201)
      expect(await waiting()).to.equal(1)
      await other.query('rollback')
      await Promise.all(answers)
    })
  }

  it(`let reads pass: ${writers} updates of ${writers} locked rows`, async function () {
    if (process.env.DATABASE_POOLER) this.skip() // PgBouncer has fewer connections to the server than the writes
    await start()
    await fillShelves(writers)
    await lockRows('select id from shelves for update')
    const answers = await sendAll((index) => rename(String(index + 1), 'Drama'))
    await expectReads()
    expect(await waiting()).to.be.below(defaultLimits.connections)
    await other.query('rollback')
    await Promise.all(answers)
    expect((await rename('1', 'Essays')).status).to.equal(200)
  })

  it('let reads pass in transactions of MikroORM, which subscribers to transaction events need', async function () {
    if (process.env.DATABASE_POOLER) this.skip()
    const database = await startOn({})
    try {
      database.orm.em.getEventManager().registerSubscriber({ async afterTransactionCommit() {} })
      await fillShelves(writers)
      await lockRows('select id from shelves for update')
      const answers = await sendAll((index) => rename(String(index + 1), 'Drama'))
      await expectReads()
      await other.query('rollback')
      await Promise.all(answers)
      expect((await rename('1', 'Essays')).status).to.equal(200)
    } finally {
      await database.close()
    }
  })

  it('return 503 with Retry-After after STATEMENT_TIMEOUT while another write of the row runs', async function () {
    if (process.env.DATABASE_POOLER) this.skip()
    const clock = manualClock()
    const database = await startOn({ clock })
    try {
      await lockRows('select id from shelves where id = 1 for update')
      const first = rename('1', 'First')
      await eventually(async () => (await waiting()) === 1)
      const second = rename('1', 'Second')
      await advanceUntil(clock, second, defaultLimits.statement * 1000)
      const { status, headers } = await second
      expect([status, headers.get('retry-after')]).to.deep.equal([503, '5'])
      await other.query('rollback')
      await first
    } finally {
      await database.close()
    }
  })
})
