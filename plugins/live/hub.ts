import { setTimeout } from 'node:timers/promises'
import type Koa from 'koa'
import { toApiErrors } from '#kernel/errors'
import type { App, Exchange } from '#kernel/plugin'
import { horizonOf, keyOf } from '#plugins/change-log/index.ts'
import { liveStreamsExceeded } from './errors.ts'
import { EventStream } from './event-stream.ts'
import { LiveCollection } from './live-collection.ts'
import type { LiveTarget } from './read-rows.ts'
import { type Settings, settingsOf } from './settings.ts'

/** Milliseconds between two looks for changes. */
const interval = 100
/** Milliseconds between two reads of a collection because of changes of related types. */
const refreshInterval = 1_000
const heartbeatInterval = 15_000
/** Changed resources of one look, above which all collections are read. */
const maxChanges = 5_000
/** Collections that are read at the same time. */
const parallel = 8

/** The open streams of one application. */
export class Hub {
  readonly #app: App
  readonly #settings: Settings
  readonly #collections = new Map<string, LiveCollection>()
  /** The numbers of streams by principal or address. */
  readonly #owners = new Map<string, number>()
  #count = 0
  /** Up to here all collections have been told of changes. */
  #position = 0n
  /** Set while changes are looked for. */
  #started: Promise<void> | null = null
  #beatAt = 0

  constructor(app: App) {
    this.#app = app
    this.#settings = settingsOf(app)
    app.stopping.addEventListener('abort', () => this.close(), { once: true })
  }

  get size(): number {
    return this.#count
  }

  /** Opens a stream. Throws if there are too many, or if the collection is too large. */
  async open(exchange: Exchange, target: LiveTarget): Promise<void> {
    const { ctx } = exchange
    const owner = ctx.state.principal ? `principal ${ctx.state.principal.identifier}` : `address ${ctx.ip}`
    const owned = this.#owners.get(owner) ?? 0
    const { perPrincipal, streams } = this.#settings
    if (owned >= perPrincipal) throw liveStreamsExceeded({ limit: perPrincipal })
    if (this.#count >= streams) ctx.throw(503, 'The process has too many streams.', { headers: { 'Retry-After': '5' } })
    this.#owners.set(owner, owned + 1)
    this.#count++
    const key = keyOfCollection(ctx)
    let collection: LiveCollection | undefined
    let stream: EventStream | undefined
    const leave = once(() => {
      this.#release(owner)
      if (!collection) return
      if (stream) collection.streams.delete(stream)
      collection.users--
      if (collection.users === 0 && this.#collections.get(key) === collection) this.#collections.delete(key)
    })
    try {
      await this.#start()
      collection = this.#collections.get(key) ?? new LiveCollection(exchange, target, this.#settings.rows)
      collection.users++
      this.#collections.set(key, collection)
      stream = new EventStream(ctx, leave)
      await collection.join(stream, this.#position, ctx.get('last-event-id'))
      stream.respond()
    } catch (error) {
      leave()
      throw error
    }
  }

  #release(owner: string): void {
    this.#count--
    const left = (this.#owners.get(owner) ?? 1) - 1
    if (left === 0) this.#owners.delete(owner)
    else this.#owners.set(owner, left)
  }

  /** Looks for changes from now on. A collection that is added next misses none. */
  async #start(): Promise<void> {
    for (let started: Promise<void> | null = null; started === null || this.#started !== started; ) {
      started = this.#started ??= this.#begin()
      await started
    }
  }

  async #begin(): Promise<void> {
    try {
      this.#position = await horizonOf(this.#app).advance()
    } catch (error) {
      this.#started = null
      throw error
    }
    void this.#run()
  }

  /** Ends all streams: the clients connect again, to another process. */
  close(): void {
    for (const collection of this.#collections.values()) collection.close()
    this.#collections.clear()
  }

  async #run(): Promise<void> {
    for (;;) {
      await setTimeout(interval, undefined, { ref: false })
      if (this.#collections.size === 0) {
        this.#started = null
        return
      }
      try {
        await this.#look()
      } catch (error) {
        this.#app.logger?.warn({ err: error }, 'The change log cannot be read; streams are delayed.')
        await setTimeout(refreshInterval, undefined, { ref: false })
      }
    }
  }

  /** Reads the changes since the last look, and tells the collections. */
  async #look(): Promise<void> {
    const until = await horizonOf(this.#app).advance()
    const changes = until > this.#position ? await this.#readChanges(until) : new Map<string, string[]>()
    this.#position = until
    const now = performance.now()
    const due: (() => Promise<void>)[] = []
    for (const [key, collection] of this.#collections) {
      const work = this.#workFor(collection, changes, now)
      if (work) due.push(() => work().catch((error) => this.#fail(key, collection, error)))
    }
    const next = async () => {
      for (let work = due.pop(); work; work = due.pop()) await work()
    }
    await Promise.all(Array.from({ length: parallel }, next))
    if (now - this.#beatAt < heartbeatInterval) return
    this.#beatAt = now
    for (const { streams } of this.#collections.values()) for (const stream of streams) stream.beat()
  }

  /** Null if there were too many changes. */
  async #readChanges(until: bigint): Promise<ReadonlyMap<string, string[]> | null> {
    const rows = await this.#app.store.query(
      `select distinct l.type, l.key from change_log l where l.sequence > $1::bigint and l.sequence <= $2::bigint
       limit ${maxChanges + 1}`,
      [String(this.#position), String(until)],
    )
    if (rows.length > maxChanges) return null
    const changes = new Map<string, string[]>()
    for (const { type, key } of rows as unknown as readonly { type: string; key: string }[])
      changes.set(type, [...(changes.get(type) ?? []), key])
    return changes
  }

  #workFor(
    collection: LiveCollection,
    changes: ReadonlyMap<string, string[]> | null,
    now: number,
  ): (() => Promise<void>) | null {
    const position = this.#position
    const { type, related, readAt } = collection
    if (changes) for (const name of changes.keys()) if (related.has(name)) collection.isStale = true
    const isDue = now - readAt > this.#settings.recheck * 1000
    const isRefreshed = collection.isStale && now - readAt > refreshInterval
    if (!changes || isDue || isRefreshed) return () => collection.refresh(position)
    const keys = changes.get(type.name)?.map((key) => keyOf(type, key))
    return keys ? () => collection.update(keys, position) : null
  }

  /** Ends the streams of a collection that its requester may no longer read. They get the error of a GET. */
  #fail(key: string, collection: LiveCollection, error: unknown): void {
    const { status = 500 } = error as { readonly status?: number }
    const errors = toApiErrors(error).map((one) => one.toObject())
    const shown = errors.length > 0 ? errors : [{ status: String(status), title: 'The stream ends' }]
    if (status >= 500)
      this.#app.logger?.error({ err: error }, 'A stream was ended, because its collection cannot be read.')
    for (const stream of collection.streams) stream.send('error', '', JSON.stringify({ errors: shown }))
    collection.close()
    this.#collections.delete(key)
  }
}

/** Headers that no function of the application reads to decide what a requester sees. */
const irrelevant = new Set(['last-event-id', 'connection', 'x-request-id', 'traceparent', 'tracestate'])

/** Requests with the same URL and headers see the same resources. */
function keyOfCollection(ctx: Koa.Context): string {
  const headers = Object.entries(ctx.headers).filter(([name]) => !irrelevant.has(name))
  return JSON.stringify([ctx.url, ctx.state.principal, ctx.state.principal ? '' : ctx.ip, headers])
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
