import { AsyncLocalStorage } from 'node:async_hooks'
import type Koa from 'koa'
import { type Clock, identifyClient } from '#http'
import type { App, Exchange } from '#kernel/plugin'
import { horizonOf } from '#plugins/change-log/index.ts'
import { ChangedKeys } from './changed-keys.ts'
import { EventStream, respondWithoutEvents } from './event-stream.ts'
import { toFailure } from './failure.ts'
import { identifiesRequest } from './identifies-request.ts'
import { LiveCollection } from './live-collection.ts'
import { once } from './once.ts'
import { ReadQueue } from './read-queue.ts'
import type { LiveTarget } from './read-rows.ts'
import { readSettings, type Settings } from './settings.ts'
import { StreamCounts } from './stream-counts.ts'
import { readWritten } from './written.ts'

/** Milliseconds between two polls of the log. */
const interval = 100
/** Milliseconds between two reads of the changed resources of a collection. */
const updateInterval = 250
/** Milliseconds between two reads of a collection because of changes of related types. */
const refreshInterval = 1_000
/** The longest time without a heart-beat; that of REQUEST_TIMEOUT if it is shorter, after which unread responses are closed. */
const longestHeartbeat = 15_000
/** Milliseconds between two checks whether a heart-beat is due before the next one, at most. */
const beatInterval = 1_000
/** Doublings of `refreshInterval` after repeated temporary failures. */
const maxDoublings = 5
/** If one poll finds more changed resources, all collections are read as a whole. */
const maxChanges = 5_000
/**
 * The same if the log has grown by more rows, which are not read then: the first position of a process is the begin of the log
 * if a transaction runs.
 */
const maxPositions = 50_000n

/** Runs work outside of the request whose stream has started it, which would otherwise have the statements of all polls. */
const outsideOfRequests = AsyncLocalStorage.snapshot()

interface OpenedStream {
  /** The principal, or the client without one. */
  readonly owner: string
  /** Closes the connection. The stream is no longer counted afterwards. */
  end(): void
}

/** The open streams of one application. */
export class Hub {
  readonly #app: App
  readonly #clock: Clock
  readonly #settings: Settings
  readonly #heartbeat: number
  readonly #collections = new Map<string, LiveCollection>()
  readonly #counts: StreamCounts
  /** The open streams by their tokens. */
  readonly #opened = new Map<string, OpenedStream>()
  readonly #reads: ReadQueue
  /** The position in the log up to which all collections have their changes. */
  #position = 0n
  /** The position in the WAL of the primary that has these changes. Null without replicas. */
  #written: string | null = null
  /** Set while the log is polled. */
  #started: Promise<void> | null = null
  #beatAt = 0
  #stopBeats: () => void = () => {}

  constructor(app: App, clock: Clock) {
    this.#app = app
    this.#clock = clock
    this.#settings = readSettings(app)
    this.#counts = new StreamCounts(this.#settings)
    const { request } = app.config.timeouts
    this.#heartbeat = Math.min(longestHeartbeat, request)
    this.#reads = new ReadQueue(clock, { places: this.#settings.reads, limit: request })
    app.stopping.addEventListener('abort', () => this.close(), { once: true })
  }

  get size(): number {
    return this.#counts.total
  }

  /**
   * Opens a stream. Throws if there are too many, or if the collection is too large. Ends the stream that the client continues: if
   * its network has changed, the process does not notice that for minutes. During a graceful shutdown the stream ends at once,
   * because browsers do not connect again after an error.
   */
  async open(exchange: Exchange, target: LiveTarget): Promise<void> {
    const { ctx } = exchange
    const { stopping } = this.#app
    if (stopping.aborted) return respondWithoutEvents(ctx)
    const owner = ctx.state.principal ? `principal ${ctx.state.principal.identifier}` : `address ${identifyClient(ctx)}`
    const lastEventId = ctx.get('last-event-id')
    const previous = this.#opened.get(lastEventId.split('.')[2] ?? '')
    if (previous?.owner === owner) previous.end()
    if (this.#counts.isFull) ctx.set('Retry-After', '5')
    this.#counts.add(owner)
    const key = keyOfCollection(ctx)
    let collection: LiveCollection | undefined
    let stream: EventStream | undefined
    const leave = once(() => {
      this.#counts.remove(owner)
      if (!collection) return
      if (stream) {
        this.#opened.delete(stream.token)
        collection.streams.delete(stream)
      }
      collection.users--
      if (collection.users === 0) this.#forget(key, collection)
    })
    const { res } = ctx
    res.once('close', leave)
    try {
      await this.#start()
      if (res.closed) return leave()
      collection = this.#collections.get(key) ?? this.#create(exchange, target)
      collection.users++
      this.#collections.set(key, collection)
      const opened = new EventStream(ctx)
      stream = opened
      this.#opened.set(stream.token, {
        owner,
        end() {
          leave()
          opened.destroy()
        },
      })
      await collection.join(stream, this.#position, lastEventId)
      stream.respond()
      if (stopping.aborted || collection.isClosed) stream.end()
    } catch (error) {
      leave()
      throw error
    }
  }

  #create(exchange: Exchange, target: LiveTarget): LiveCollection {
    const written = () => this.#written
    return new LiveCollection(exchange, target, { settings: this.#settings, clock: this.#clock, written })
  }

  /** Begins to poll the log. A collection that is added next misses none. */
  async #start(): Promise<void> {
    for (let started: Promise<void> | null = null; started === null || this.#started !== started; ) {
      started = this.#started ??= outsideOfRequests(() => this.#begin())
      await started
    }
  }

  async #begin(): Promise<void> {
    try {
      this.#position = await this.#advance()
      this.#beatAt = this.#clock.now()
      this.#stopBeats = this.#clock.every(Math.min(beatInterval, this.#heartbeat), () => this.#beat())
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
      await this.#wait(interval)
      if (this.#collections.size === 0) {
        this.#stopBeats()
        this.#started = null
        return
      }
      try {
        await this.#poll()
      } catch (error) {
        this.#app.logger?.warn({ err: error }, 'The change log cannot be read; streams are delayed.')
        await this.#wait(refreshInterval)
      }
    }
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(milliseconds, resolve)
    })
  }

  /**
   * Reads the changes since the last poll, and begins the reads of collections, without waiting for them. If the changes cannot be
   * read, throws afterwards: no collection misses any.
   */
  async #poll(): Promise<void> {
    const until = await this.#advance()
    const reading = this.#readChanges(until)
    const changes = await reading.catch(() => null)
    this.#position = until
    const now = this.#clock.now()
    for (const [key, collection] of this.#collections) {
      const work = this.#workFor(collection, changes, now)
      if (work) this.#read(key, collection, work)
    }
    await reading
  }

  #read(key: string, collection: LiveCollection, work: () => Promise<void>): void {
    const { logger } = this.#app
    const fail = (error: unknown) => this.#fail(key, collection, error)
    const log = (failure: unknown) => logger?.error({ err: failure }, 'The error of a stream cannot be sent.')
    collection.isBusy = true
    this.#reads.add({
      async run() {
        // While the read was waiting, the streams may have ended.
        if (collection.users > 0 && !collection.isClosed) await work().catch(fail).catch(log)
        collection.isBusy = false
      },
      onLate() {
        const { url } = collection
        logger?.error({ url }, 'The read of a live collection does not end; its streams get no events.')
      },
    })
  }

  /** Returns the position up to which the log is complete. Reads that begin from now on show its changes, also on replicas. */
  async #advance(): Promise<bigint> {
    const until = await horizonOf(this.#app).advance()
    if (until > this.#position) this.#written = await readWritten(this.#app)
    return until
  }

  /** Independent of the reads, which may be slow or fail. */
  #beat(): void {
    const now = this.#clock.now()
    if (now - this.#beatAt < this.#heartbeat - beatInterval) return
    this.#beatAt = now
    for (const { streams } of this.#collections.values()) for (const stream of streams) stream.beat()
  }

  /** Null if there are too many changes. */
  async #readChanges(until: bigint): Promise<ReadonlyMap<string, ChangedKeys> | null> {
    const changes = new Map<string, ChangedKeys>()
    if (until <= this.#position) return changes
    if (until - this.#position > maxPositions) return null
    const rows = await this.#app.store.query(
      `select distinct l.type, l.key from change_log l where l.sequence > $1::bigint and l.sequence <= $2::bigint
       limit ${maxChanges + 1}`,
      [String(this.#position), String(until)],
    )
    if (rows.length > maxChanges) return null
    for (const { type, key } of rows as unknown as readonly { type: string; key: string }[]) {
      const changed = changes.get(type) ?? new ChangedKeys()
      changes.set(type, changed)
      changed.add(key)
    }
    return changes
  }

  /** Null if no read is due, or possible yet: a later one reads the changes. */
  #workFor(
    collection: LiveCollection,
    changes: ReadonlyMap<string, ChangedKeys> | null,
    now: number,
  ): (() => Promise<void>) | null {
    const position = this.#position
    const { type, related, readAt, updatedAt, dueAt, failures, isBusy } = collection
    const pause = refreshInterval * 2 ** Math.min(failures, maxDoublings)
    const isPaused = isBusy || (failures > 0 && now - readAt <= pause)
    const changed = changes?.get(type.name)
    if (changed) collection.addChanges(changed)
    if (!changes || [...changes.keys()].some((name) => related.has(name))) collection.isStale = true
    if (isPaused) return null
    if (now > dueAt || (collection.isStale && now - readAt > pause)) return () => collection.refresh(position)
    return collection.hasChanges && now - updatedAt > updateInterval ? () => collection.update(position) : null
  }

  /**
   * Ends the streams of a collection that its requester may no longer read. They get the error of a GET. After a temporary
   * failure the streams stay open, and the collection is read again later.
   */
  async #fail(key: string, collection: LiveCollection, error: unknown): Promise<void> {
    const { status, errors } = toFailure(error)
    if (status === 503) {
      collection.isStale = true
      collection.failures++
      if (collection.failures === 1)
        this.#app.logger?.warn({ err: error }, 'A live collection cannot be read; its streams are delayed.')
      return
    }
    if (status >= 500)
      this.#app.logger?.error({ err: error }, 'A stream was ended, because its collection cannot be read.')
    try {
      const data = JSON.stringify({ errors })
      for (const stream of collection.streams) stream.sendError(data)
    } finally {
      collection.close()
      this.#forget(key, collection)
    }
  }

  /** A later collection with the same key stays. */
  #forget(key: string, collection: LiveCollection): void {
    if (this.#collections.get(key) === collection) this.#collections.delete(key)
  }
}

/**
 * Requests of a principal with the same URL, address and headers see the same resources. The address is a part of it, because
 * functions of authors may read it.
 */
function keyOfCollection(ctx: Koa.Context): string {
  const headers = Object.entries(ctx.headers).filter(([name]) => !identifiesRequest(name))
  return JSON.stringify([ctx.url, ctx.state.principal, ctx.ip, headers])
}
