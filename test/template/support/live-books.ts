import { readConfig } from '#app/config.ts'
import { defineResource } from '#kernel'
import type { App, AppConfig, DeclaredResource, Logger, Plugin, Principal, ServerOptions } from '#kernel/plugin'
import { Policy } from '#plugins/authorization/index.ts'
import { live } from '#plugins/live/index.ts'
import { environment } from '#plugins/live/settings.ts'
import type { Database } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { advanceTimersUntil, type ManualClock, manualClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { as, withTokens } from '#test/support/principals.ts'
import { Book, Label, Shelf, Tag } from './library/entities.ts'
import { Loan } from './library/loans.ts'
import { type OpenedStream, openStream, type SentEvent } from './read-events.ts'
import { openRecordedLibrary, readCommitted, startRecordedLibrary, withPlugins } from './recorded-library.ts'

// Books as live collections, each requester sees those of one shelf. Time passes only when a test advances it.

/** The shelf whose books each principal sees. */
export const shelfOf: Record<string, number> = {}
/** The principals that may read no collection of books. */
export const denied = new Set<string>()
/** The principals that may restore books and read their secrets. */
export const trusted = new Set<string>()
/** Thrown instead of reading books. */
export const failure: { error: Error | null } = { error: null }
/** The number of reads of books since the last reset. */
export const scopes = { count: 0 }

class OpenPolicy extends Policy {
  static override readonly needs = { view: [], update: [], delete: [] } as never
  override viewAny = (_: Principal | null) => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  restore = (_: Principal | null) => true
  forceDelete = (_: Principal | null) => true
}

class BookPolicy extends OpenPolicy {
  override scope = (principal: Principal | null) => {
    scopes.count++
    if (failure.error) throw failure.error
    return { shelf: shelfOf[principal?.identifier ?? ''] ?? 0 }
  }
  override viewAny = (principal: Principal | null) => principal !== null && !denied.has(principal.identifier)
  override restore = (principal: Principal | null) => trusted.has(principal?.identifier ?? '')
  override forceDelete = this.restore
  viewTrashed = this.restore
}

const books = defineResource(Book, {
  type: 'books',
  changes: true,
  policy: BookPolicy,
  softDeletes: { property: 'removedAt' },
  filters: ({ where }) => [where('title'), where('secret')],
  fields: ({ id, string, integer, belongsTo }) => [
    id(),
    string('title').required(),
    integer('position').sortable(),
    string('secret')
      .nullable()
      .hiddenFor(({ principal }) => !trusted.has(principal?.identifier ?? '')),
    belongsTo('shelf', 'shelves'),
  ],
})
const shelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  policy: OpenPolicy,
  softDeletes: { property: 'removedAt' },
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
  filters: ({ whereThrough }) => [whereThrough('books.title')],
})
const loans = defineResource(Loan, {
  type: 'loans',
  changes: true,
  fields: ({ id, string, belongsTo }) => [id(), string('name').on('book.shelf').nullable(), belongsTo('book', 'books')],
})
const tags = defineResource(Tag, { type: 'tags', fields: ({ id, string }) => [id().allowClientId(), string('name')] })
const labels = defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] })

/** Milliseconds between two looks for changes. */
export const interval = 100

interface Written {
  readonly at: number
  readonly text: string
}

export interface LiveBooks extends TestApp {
  /** The clock of the hub. */
  readonly clock: ManualClock
  /** The clock of the HTTP server. */
  readonly serverClock: ManualClock
  /** Runs SQL of the application. Afterwards, the next look for changes finds those of the statement. */
  run(sql: string): Promise<void>
  /** Opens a stream, by default as `ada`. */
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<OpenedStream>
  /** Lets time pass until the stream has sent an event. */
  next(stream: OpenedStream): Promise<SentEvent | null>
  /** Lets time pass until the work is done. */
  until<T>(work: Promise<T>): Promise<T>
  /** Lets some milliseconds pass, with all looks for changes that belong to them. */
  pass(milliseconds: number): Promise<void>
  /** Lets time pass until the hub has ended, which begins anew with the next stream. No stream may be open. */
  untilEnded(): Promise<void>
  /** What was written to responses since the last reset, and when, by the clock of the hub. */
  readonly written: readonly Written[]
  /** Deletes all rows, inserts those of the tests, and closes the streams. */
  reset(): Promise<void>
}

export interface LiveBooksOptions {
  /** In place of the resources of the tests. */
  readonly resources?: readonly DeclaredResource[]
  /** Variables of the plugins. */
  readonly variables?: Readonly<Record<string, unknown>>
  readonly config?: Partial<AppConfig>
  readonly logger?: Logger
  readonly servers?: Readonly<Record<string, ServerOptions>>
  /** Plugins above all others. */
  readonly above?: readonly Plugin[]
}

export async function startLiveBooks(options: LiveBooksOptions = {}): Promise<LiveBooks> {
  const { variables, above = [], ...others } = options
  const clock = manualClock()
  const serverClock = manualClock()
  const written: Written[] = []
  const recorder: Plugin = {
    name: 'recorder',
    middleware: () => (ctx, next) => {
      const { res } = ctx
      const write = res.write.bind(res) as (chunk: unknown, ...others: unknown[]) => boolean
      res.write = (chunk: unknown, ...others: unknown[]) => {
        written.push({ at: clock.now(), text: String(chunk) })
        return write(chunk, ...others)
      }
      return next()
    },
  }
  const plugins = [recorder, ...above, ...withTokens(withPlugins(live({ clock })), 'ada', 'eve')]
  const database: Database = await openRecordedLibrary(plugins)
  const resources = [books, shelves, loans, tags, labels].map((resource) => ({ file: 'live-books.ts', resource }))
  const undescribed = ['default', 'admin']
  const started = await startRecordedLibrary(database, {
    plugins,
    resources,
    undescribed,
    clock: serverClock,
    ...others,
  })
  const defaults = readConfig({}, environment).variables
  Object.assign(started.app.config, { variables: { ...defaults, ...started.app.config.variables, ...variables } })
  await started.app.start()
  await started.app.store.queue.stop()

  const streams: OpenedStream[] = []
  const run = async (sql: string) => {
    await started.app.store.query(sql)
    await readCommitted(started.app)
  }
  const statements = countStatements(started.app)
  const paced: ManualClock = Object.create(clock, {
    timers: { get: () => (statements.running > 0 ? 0 : clock.timers) },
  })
  const until = <T>(work: Promise<T>) => advanceTimersUntil(paced, work, interval)
  const isWaiting = () => eventually(() => paced.timers > 0)
  return {
    ...started,
    clock,
    serverClock,
    run,
    until,
    written,
    async pass(milliseconds) {
      await isWaiting()
      for (const end = clock.now() + milliseconds; clock.now() < end; await isWaiting()) clock.advance(interval)
    },
    async untilEnded() {
      await eventually(() => !started.app.liveHub?.size)
      // It may be polling, without a timer: it ends when its next wait is over.
      await eventually(() => {
        if (clock.timers > 0) clock.advance(interval)
        return clock.intervals === 0
      })
    },
    async open(path, headers = as('ada')) {
      const stream = await openStream(started.client.url + path, headers)
      streams.push(stream)
      return stream
    },
    next: (stream) => until(stream.next()),
    async reset() {
      for (const stream of streams.splice(0)) stream.close()
      await eventually(() => !started.app.liveHub?.size) // the server notices the end of the connections
      Object.assign(shelfOf, { ada: 1, eve: 2 })
      denied.clear()
      trusted.clear()
      failure.error = null
      written.length = 0
      scopes.count = 0
      await run('delete from loans')
      await run('delete from books')
      await run('delete from shelves')
      await run(`insert into shelves (id, name) values (1, 'one'), (2, 'two')`)
      await run(`insert into books (id, title, shelf_id) values (1, 'A', 1), (2, 'B', 1), (3, 'C', 2)`)
    },
    async close() {
      for (const stream of streams.splice(0)) stream.close()
      await started.close()
      await database.close()
    },
  }
}

/** Counts the work of the store that runs now: no time passes meanwhile. */
function countStatements({ store }: App): { readonly running: number } {
  const count = { running: 0 }
  const counted =
    <Arguments extends unknown[], Result>(run: (...args: Arguments) => Promise<Result>) =>
    (...args: Arguments) => {
      count.running++
      return run(...args).finally(() => {
        count.running--
      })
    }
  const { read, query } = store
  Object.assign(store, { read: counted(read.bind(store)), query: counted(query.bind(store)) })
  return count
}

/** The kind of an event, and the id and title of its resources. */
export function titles(event: SentEvent | null): (string | undefined)[] {
  const resources: { id: string; attributes?: { title: string } }[] = event?.data.data ?? []
  return [event?.event, ...resources.map(({ id, attributes }) => (attributes ? `${id} ${attributes.title}` : id))]
}
