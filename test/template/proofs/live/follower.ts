import { setTimeout } from 'node:timers/promises'
import { openStream, type SentEvent } from '#test/template/support/read-events.ts'
import { versionAttributes } from './rows.ts'

export interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export interface FollowerOptions {
  readonly title: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The URL of a process that runs. */
  readonly url: () => string
  /** Whether the client closes the connection after an event. */
  readonly mayCut: () => boolean
  /** Whether the requester may never see a resource. */
  readonly isForeign: (resource: Resource) => boolean
}

/** Milliseconds between two attempts to connect. */
const pause = 30

/** A client that keeps what its streams say, and connects again whenever they end. */
export class Follower {
  readonly options: FollowerOptions
  readonly rows = new Map<string, Resource>()
  readonly included = new Map<string, Resource>()
  /** The status of a GET, by the last stream. 0 before the first one. */
  status = 0
  events = 0
  /** Streams that began with a snapshot, and streams that were resumed without. */
  readonly streams = { snapshots: 0, resumed: 0, refused: 0 }
  readonly violations: string[] = []
  readonly #versions = new Map<string, string>()
  #lastEventId = ''
  #isClosed = false
  #close = () => {}

  constructor(options: FollowerOptions) {
    this.options = options
  }

  async follow(): Promise<void> {
    while (!this.#isClosed) {
      const isOpen = await this.#followOne().catch((error) => {
        if (!(error instanceof TypeError) && error.name !== 'AbortError') throw error
        return false // the process was killed
      })
      if (!isOpen) await setTimeout(pause)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#close()
  }

  async #followOne(): Promise<boolean> {
    const { path, headers, url, mayCut } = this.options
    const stream = await openStream(url() + path, { ...headers, 'last-event-id': this.#lastEventId })
    this.status = stream.status
    if (stream.status !== 200) {
      this.streams.refused++
      return false
    }
    this.#close = stream.close
    if (this.#isClosed) stream.close()
    let isFirst = true
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (isFirst) this.streams[event.event === 'snapshot' ? 'snapshots' : 'resumed']++
      isFirst = false
      this.events++
      if (event.event === 'error') this.status = Number(event.data.errors[0].status)
      else this.#take(event)
      if (mayCut()) stream.close()
    }
    return !isFirst
  }

  #take({ event, id, data: { data, included = [] } }: SentEvent): void {
    if (event === 'snapshot') for (const map of [this.rows, this.included]) map.clear()
    for (const resource of included as readonly Resource[]) {
      if (event === 'removed') {
        if (!this.included.delete(keyOf(resource)))
          this.violations.push(`${keyOf(resource)} was removed from the included resources without having been sent`)
        continue
      }
      this.#check(resource)
      this.included.set(keyOf(resource), resource)
    }
    for (const resource of data as readonly Resource[]) {
      const key = keyOf(resource)
      const isKnown = this.rows.has(key)
      if (event === 'removed') {
        if (!this.rows.delete(key)) this.violations.push(`${key} was removed without having been sent`)
        continue
      }
      this.#check(resource)
      if (event === 'changed' && !isKnown) this.violations.push(`${key} was changed without having been sent`)
      if (event === 'added' && isKnown) this.violations.push(`${key} was added twice`)
      this.rows.set(key, resource)
    }
    this.#lastEventId = id
  }

  /** The number of a resource never becomes smaller. */
  #check(resource: Resource): void {
    const key = keyOf(resource)
    const version = String(resource.attributes?.[versionAttributes.get(resource.type) ?? ''] ?? '')
    if (version < (this.#versions.get(key) ?? '')) this.violations.push(`${key} went back to ${version}`)
    this.#versions.set(key, version)
    if (this.options.isForeign(resource)) this.violations.push(`${key} is foreign: ${JSON.stringify(resource)}`)
  }
}

export function keyOf({ type, id }: Resource): string {
  return `${type}/${id}`
}
