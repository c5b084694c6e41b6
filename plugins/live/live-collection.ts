import { hash } from 'node:crypto'
import type { ApiRequest, Exchange, ResourceType } from '#kernel/plugin'
import type { IncludeNode } from '#kernel/queries'
import type { EventStream } from './event-stream.ts'
import { authenticateAgain, type LiveTarget, readRows, type SeenRows } from './read-rows.ts'

/** Changed keys above which the whole collection is read. */
const maxKeys = 100

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
  /** Whether a resource of a related type has changed since then. */
  isStale = false
  readonly #exchange: Exchange
  readonly #limit: number
  readonly #primary = new Map<string, string>()
  readonly #included = new Map<string, string>()
  #digest = 0n
  #work: Promise<unknown> = Promise.resolve()

  constructor(exchange: Exchange, target: LiveTarget, limit: number) {
    this.#exchange = exchange
    this.target = target
    this.#limit = limit
    this.related = new Set(relatedTypes(target))
  }

  get type(): ResourceType {
    return this.target.target.type
  }

  /** Adds a stream and sends a snapshot to it, unless the client has the current state. */
  join(stream: EventStream, position: bigint, lastEventId: string): Promise<void> {
    return this.#inOrder(async () => {
      const rows = await this.#readAll(position)
      const id = this.#id(position)
      if (lastEventId.split('.')[1] !== id.split('.')[1]) stream.send('snapshot', id, documentOf(rows))
      this.streams.add(stream)
    })
  }

  /** Reads the whole collection, and sends the differences. */
  refresh(position: bigint): Promise<void> {
    return this.#inOrder(async () => {
      await this.#readAll(position)
    })
  }

  /** Reads the resources with changed keys, and sends the differences. */
  update(keys: readonly unknown[], position: bigint): Promise<void> {
    if (this.target.kind !== 'FetchCollection' || keys.length > maxKeys) return this.refresh(position)
    return this.#inOrder(async () => {
      const rows = await this.#read(keys)
      const { type } = this
      const changed = keys.map((key) => `${type.name}/${type.codec.encode(key)}`)
      this.#send(
        rows,
        changed.filter((name) => this.#primary.has(name) && !rows.primary.has(name)),
        position,
      )
    })
  }

  close(): void {
    for (const stream of this.streams) stream.end()
    this.streams.clear()
  }

  async #readAll(position: bigint): Promise<SeenRows> {
    this.readAt = performance.now()
    this.isStale = false
    const rows = await this.#read(null)
    this.#send(
      rows,
      [...this.#primary.keys()].filter((name) => !rows.primary.has(name)),
      position,
    )
    for (const [name, text] of this.#included) if (!rows.included.has(name)) this.#forget(this.#included, name, text)
    return rows
  }

  async #read(keys: readonly unknown[] | null): Promise<SeenRows> {
    const request: ApiRequest = await authenticateAgain(this.#exchange)
    try {
      return await readRows(this.target, request, keys, this.#limit)
    } catch (error) {
      const { status } = error as { readonly status?: number }
      if (this.target.kind === 'FetchOne' && status === 404) return { primary: new Map(), included: new Map() }
      throw error
    }
  }

  /** Sends one event of each kind that has resources. */
  #send({ primary, included }: SeenRows, removed: readonly string[], position: bigint): void {
    const added: string[] = []
    const changed: string[] = []
    for (const [name, text] of primary) {
      const before = this.#primary.get(name)
      if (this.#remember(this.#primary, name, text)) (before === undefined ? added : changed).push(text)
    }
    const others: string[] = []
    for (const [name, text] of included) if (this.#remember(this.#included, name, text)) others.push(text)
    for (const name of removed) this.#forget(this.#primary, name, this.#primary.get(name) as string)
    const id = this.#id(position)
    if (added.length > 0) this.#broadcast('added', id, toDocument(added, [...included.values()]))
    if (changed.length > 0 || (others.length > 0 && added.length === 0))
      this.#broadcast('changed', id, toDocument(changed, others))
    if (removed.length > 0) this.#broadcast('removed', id, toDocument(removed.map(identifierOf), []))
  }

  #broadcast(event: string, id: string, data: string): void {
    for (const stream of this.streams) stream.send(event, id, data)
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
    if (before !== undefined) this.#digest -= numberOf(name, before)
    this.#digest += numberOf(name, now)
    known.set(name, now)
    return true
  }

  #forget(known: Map<string, string>, name: string, digest: string): void {
    known.delete(name)
    this.#digest -= numberOf(name, digest)
  }

  /** Reads run one after the other, so that events are in the order of the states. */
  #inOrder(work: () => Promise<void>): Promise<void> {
    const run = this.#work.then(work, work)
    this.#work = run.catch(() => {})
    return run
  }
}

/** A sum of these numbers does not depend on the order in which resources were sent. */
function numberOf(name: string, digest: string): bigint {
  return BigInt(`0x${hash('sha1', `${name} ${digest}`, 'hex').slice(0, 24)}`)
}

function documentOf({ primary, included }: SeenRows): string {
  return toDocument([...primary.values()], [...included.values()])
}

function toDocument(data: readonly string[], included: readonly string[]): string {
  return `{"data":[${data.join()}]${included.length > 0 ? `,"included":[${included.join()}]` : ''}}`
}

function identifierOf(name: string): string {
  const slash = name.indexOf('/')
  return JSON.stringify({ type: name.slice(0, slash), id: name.slice(slash + 1) })
}

/** The types that a resource of the query shows or refers to. */
function relatedTypes({ target, query }: LiveTarget): string[] {
  const names: string[] = []
  const add = (type: ResourceType) => {
    for (const relation of type.relations) for (const { name } of relation.targets) names.push(name)
  }
  const addNodes = (nodes: readonly IncludeNode[]) => {
    for (const { relation, children } of nodes) {
      for (const type of relation.targets) add(type)
      if (typeof children !== 'function') addNodes(children)
    }
  }
  add(target.type)
  if (typeof query.include !== 'function') addNodes(query.include)
  return names
}
