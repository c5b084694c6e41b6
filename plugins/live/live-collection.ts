import { hash } from 'node:crypto'
import type { Clock } from '#http'
import type { Exchange, Relation, ResourceType } from '#kernel/plugin'
import type { IncludeNode } from '#kernel/queries'
import { parseKey } from '#plugins/change-log/index.ts'
import type { ChangedKeys } from './changed-keys.ts'
import { liveCollectionTooLarge } from './errors.ts'
import type { EventStream } from './event-stream.ts'
import { toFailure } from './failure.ts'
import { type LiveTarget, readRows, type SeenRows } from './read-rows.ts'
import type { Settings } from './settings.ts'

/** Changed keys above which the whole collection is read. */
const maxKeys = 100

/** Rechecks of a collection take at most this part of the time: a large one is read less often. */
const restFactor = 100
/** The limit of that, in multiples of LIVE_RECHECK_SECONDS. */
const maxRechecks = 10

/** In place of the digest, if other events of the same read follow: a client that misses them needs a snapshot. */
const incomplete = '-'

/** Resources that were sent and that the client forgets. */
interface Removals {
  readonly removed: readonly string[]
  /** Included resources to which no resource refers any longer. */
  readonly unreferenced: readonly string[]
}

interface CollectionOptions {
  readonly settings: Settings
  readonly clock: Clock
  /** Returns the position of the changes that a read must show: see `readWritten`. */
  readonly written: () => string | null
}

/** One query of one requester, and the streams that show it. Remembers a digest of every resource that it has sent. */
export class LiveCollection {
  readonly target: LiveTarget
  /** The types whose changes may change a resource of the query, besides its own type. */
  readonly related: ReadonlySet<string>
  readonly streams = new Set<EventStream>()
  /** The streams that are open or being opened. */
  users = 0
  /** The time of the last read of the whole collection, in milliseconds. */
  readAt = 0
  /** The time of the last read of changed resources, in milliseconds. */
  updatedAt = Number.NEGATIVE_INFINITY
  /** The latest time of the next read of the whole collection. */
  dueAt = 0
  /** Whether a resource of a related type has changed since that read. */
  isStale = false
  /** The number of temporary failures since that read. */
  failures = 0
  isClosed = false
  /** Whether the hub reads it now. */
  isBusy = false
  /** The changed keys of its type that no read has begun to read. */
  readonly #changed = new Set<string>()
  readonly #exchange: Exchange
  readonly #limit: number
  /** The longest time between two reads of the whole collection, in milliseconds. */
  readonly #recheck: number
  readonly #clock: Clock
  readonly #written: CollectionOptions['written']
  /** The id of the resource of a stream of one resource, as in responses: the one in the URL may have another form. */
  #onlyId: string | null = null
  readonly #primary = new Map<string, string>()
  readonly #included = new Map<string, string>()
  #digest = 0n
  #work: Promise<unknown> = Promise.resolve()

  constructor(exchange: Exchange, target: LiveTarget, { settings, clock, written }: CollectionOptions) {
    this.#exchange = exchange
    this.target = target
    this.#limit = settings.rows
    this.#recheck = settings.recheck * 1000
    this.#clock = clock
    this.#written = written
    this.related = new Set(relatedTypes(target))
  }

  get url(): string {
    return this.#exchange.ctx.path
  }

  get type(): ResourceType {
    return this.target.target.type
  }

  /** Adds a stream and sends a snapshot to it, unless the client has the current state. */
  join(stream: EventStream, position: bigint, lastEventId: string): Promise<void> {
    return this.#inOrder(async () => {
      const rows = await this.#readAll(position)
      const id = this.#id(position)
      if (lastEventId.split('.')[1] === id.split('.')[1]) stream.sendId(id)
      else stream.sendSnapshot(id, renderSeenRows(rows))
      if (!stream.isClosed) this.streams.add(stream)
    })
  }

  /** Reads the whole collection, and sends the differences. */
  refresh(position: bigint): Promise<void> {
    return this.#inOrder(async () => {
      await this.#readAll(position)
    })
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0
  }

  /** The next read reads the resources with these keys. A stream of one resource ignores changes of others. */
  addChanges(changed: ChangedKeys): void {
    if (this.#onlyId !== null && !changed.hasId(this.type, this.#onlyId)) return
    for (const key of changed) {
      if (this.#changed.size > maxKeys) return
      this.#changed.add(key)
    }
  }

  /** Reads the resources that have changed, also since the call, and sends the differences. */
  update(position: bigint): Promise<void> {
    return this.#inOrder(async () => {
      this.updatedAt = this.#clock.now()
      if (this.target.kind !== 'FetchCollection' || this.#changed.size > maxKeys)
        return void (await this.#readAll(position))
      const { type } = this
      const keys = [...this.#changed].map((key) => parseKey(type, key))
      this.#changed.clear()
      if (keys.length === 0) return // another read has read them
      const rows = await this.#read(keys)
      const changed = keys.map((key) => `${type.name}/${type.codec.encode(key)}`)
      const removed = changed.filter((name) => this.#primary.has(name) && !rows.primary.has(name))
      this.#send(rows, { removed, unreferenced: [] }, position)
    })
  }

  close(): void {
    this.isClosed = true
    for (const stream of this.streams) stream.end()
    this.streams.clear()
  }

  async #readAll(position: bigint): Promise<SeenRows> {
    this.readAt = this.#clock.now()
    // Collections that were opened at the same time are read at different times.
    this.dueAt = this.readAt + this.#recheck * (0.5 + Math.random() / 2)
    this.isStale = false
    this.#changed.clear()
    const rows = await this.#read(null).catch((error) => {
      this.isStale = true
      throw error
    })
    this.failures = 0
    this.dueAt = Math.max(this.dueAt, this.readAt + this.#restAfter(this.#clock.now() - this.readAt))
    const [first] = rows.primary.keys()
    if (first && this.target.kind === 'FetchOne') this.#onlyId = first.slice(first.indexOf('/') + 1)
    const missing = (sent: ReadonlyMap<string, string>, read: ReadonlyMap<string, string>) =>
      [...sent.keys()].filter((name) => !read.has(name))
    const removed = missing(this.#primary, rows.primary)
    this.#send(rows, { removed, unreferenced: missing(this.#included, rows.included) }, position)
    return rows
  }

  /** Milliseconds between the begin of a read of the whole collection and the next recheck, at least. */
  #restAfter(duration: number): number {
    return Math.min(duration * restFactor, this.#recheck * maxRechecks)
  }

  async #read(keys: readonly unknown[] | null): Promise<SeenRows> {
    try {
      const options = { keys, limit: this.#limit, written: this.#written() }
      return await readRows(this.#exchange, this.target, options)
    } catch (error) {
      if (this.target.kind === 'FetchOne' && toFailure(error).status === 404)
        return { primary: new Map(), included: new Map() }
      throw error
    }
  }

  /** Sends one event of each kind that has resources. */
  #send({ primary, included }: SeenRows, { removed, unreferenced }: Removals, position: bigint): void {
    const added: string[] = []
    const changed: string[] = []
    for (const [name, text] of primary) {
      const before = this.#primary.get(name)
      if (this.#remember(this.#primary, name, text)) (before === undefined ? added : changed).push(text)
    }
    const others: string[] = []
    for (const [name, text] of included) if (this.#remember(this.#included, name, text)) others.push(text)
    for (const name of removed) this.#forget(this.#primary, name)
    for (const name of unreferenced) this.#forget(this.#included, name)
    const kinds: [name: string, data: string][] = []
    if (added.length > 0) kinds.push(['added', toDocument(added, [...included.values()])])
    if (changed.length > 0 || (others.length > 0 && added.length === 0))
      kinds.push(['changed', toDocument(changed, others)])
    if (removed.length > 0 || unreferenced.length > 0)
      kinds.push(['removed', toDocument(removed.map(printIdentifier), unreferenced.map(printIdentifier))])
    const events = kinds.map(([name, data], index) => {
      const isLast = index === kinds.length - 1
      return { name, data, id: isLast ? this.#id(position) : `${position}.${incomplete}` }
    })
    if (events.length > 0) for (const stream of this.streams) stream.send(events)
    if (this.#primary.size > this.#limit) throw liveCollectionTooLarge({ limit: this.#limit })
  }

  /** The position, and the digest of the state of the client: equal digests are equal states, in any process. */
  #id(position: bigint): string {
    return `${position}.${this.#digest.toString(36)}`
  }

  /** Returns whether the resource is new or different. */
  #remember(known: Map<string, string>, name: string, text: string): boolean {
    const now = hash('sha1', text, 'base64')
    const before = known.get(name)
    if (before === now) return false
    if (before !== undefined) this.#digest -= this.#summand(known, name, before)
    this.#digest += this.#summand(known, name, now)
    known.set(name, now)
    return true
  }

  #forget(known: Map<string, string>, name: string): void {
    const digest = known.get(name) as string
    known.delete(name)
    this.#digest -= this.#summand(known, name, digest)
  }

  /** Differs for a resource of the collection and the same resource in `included`. */
  #summand(known: Map<string, string>, name: string, digest: string): bigint {
    return toSummand(known === this.#included ? `+${name}` : name, digest)
  }

  /** Reads run one after the other, so that events are in the order of the states. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const run = this.#work.then(work, work)
    this.#work = run.catch(() => {})
    return run
  }
}

/** A sum of these numbers does not depend on the order in which resources were sent. */
function toSummand(name: string, digest: string): bigint {
  return BigInt(`0x${hash('sha1', `${name} ${digest}`, 'hex').slice(0, 24)}`)
}

function renderSeenRows({ primary, included }: SeenRows): string {
  return toDocument([...primary.values()], [...included.values()])
}

function toDocument(data: readonly string[], included: readonly string[]): string {
  return `{"data":[${data.join()}]${included.length > 0 ? `,"included":[${included.join()}]` : ''}}`
}

function printIdentifier(name: string): string {
  const slash = name.indexOf('/')
  return JSON.stringify({ type: name.slice(0, slash), id: name.slice(slash + 1) })
}

/**
 * The types that a resource of the query shows or refers to, or by which it may be selected. Members that are added to other
 * relationships, or removed from them, change the resource itself.
 */
function relatedTypes({ target, query }: LiveTarget): string[] {
  const names: string[] = []
  const addTargets = ({ targets }: Relation) => {
    for (const { name } of targets) names.push(name)
  }
  const addType = (type: ResourceType, isReferred: (relation: Relation) => boolean = isAlwaysLinked) => {
    type.relations.filter(isReferred).forEach(addTargets)
    for (const { on } of type.attributes) if (on) addPath(type, on)
  }
  const addPath = (from: ResourceType, path: readonly string[]) => {
    let types = [from]
    for (const name of path) {
      types = types.flatMap(({ relations }) => relations.find((relation) => relation.name === name)?.targets ?? [])
      names.push(...types.map((type) => type.name))
    }
  }
  const addNodes = (nodes: readonly IncludeNode[]) => {
    for (const { relation, children } of nodes) {
      for (const type of relation.targets) addType(type)
      addTargets(relation)
      if (typeof children !== 'function') addNodes(children)
    }
  }
  const { where, counts, include } = query
  addType(target.type, (relation) => isAlwaysLinked(relation) || where.length > 0 || counts.has(relation))
  if (typeof include !== 'function') addNodes(include)
  return names
}

function isAlwaysLinked({ linkage }: Relation): boolean {
  return linkage === 'always'
}
