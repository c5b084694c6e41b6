import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type Koa from 'koa'

/** Bytes that a client may leave unread, besides the snapshot: a slow client has to read it first. */
const maxUnread = 1_048_576
/** Listeners that Node adds to the response of a stream. With those of the plugins they exceed the limit of its warning. */
const listeners = 10
/** Milliseconds after which a client connects again: at least, and at random besides, so that not all of them do at once. */
const retry = 1_000
const retryJitter = 1_000

export interface StreamEvent {
  readonly name: string
  readonly id: string
  /** A JSON document. */
  readonly data: string
}

/** A response of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  /** The end of the ids of its events. A client that connects again sends it: see `Hub.open`. */
  readonly token = randomBytes(12).toString('base64url')
  readonly #ctx: Koa.Context
  readonly #body = new PassThrough()
  #limit = maxUnread

  constructor(ctx: Koa.Context) {
    this.#ctx = ctx
    this.#body.write(`retry: ${retry + Math.floor(Math.random() * retryJitter)}\n\n`)
  }

  get isClosed(): boolean {
    const { res } = this.#ctx
    return res.destroyed || res.closed
  }

  /** Makes the stream the response. */
  respond(): void {
    const ctx = this.#ctx
    ctx.res.setMaxListeners(ctx.res.getMaxListeners() + listeners)
    ctx.status = 200
    ctx.body = this.#body
    ctx.type = 'text/event-stream'
    ctx.set({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
  }

  /** Sends the first event of most streams. */
  sendSnapshot(id: string, data: string): void {
    this.send([{ name: 'snapshot', id, data }])
    this.#limit = maxUnread + Buffer.byteLength(data)
  }

  /** Tells a client without an event that its next connection continues this one. */
  sendId(id: string): void {
    this.#write(`id: ${id}.${this.token}\n\n`)
  }

  /**
   * Sends the events of one read. Closes the connection of a client that has left too much unread: it resumes when it connects
   * again.
   */
  send(events: readonly StreamEvent[]): void {
    const texts = events.map(({ name, id, data }) => `id: ${id}.${this.token}\nevent: ${name}\ndata: ${data}\n\n`)
    this.#write(texts.join(''))
  }

  /** Sends the event before the end. */
  sendError(data: string): void {
    this.#write(`event: error\ndata: ${data}\n\n`)
  }

  /** Keeps proxies and the time-out of unread responses from closing the connection. */
  beat(): void {
    this.#write(':\n\n')
  }

  #write(text: string): void {
    if (this.isClosed) return
    const { res } = this.#ctx
    const unread = this.#body.writableLength + this.#body.readableLength + res.writableLength
    if (unread === 0) this.#limit = maxUnread
    if (unread > this.#limit) res.destroy()
    else this.#body.write(text)
  }

  end(): void {
    if (!this.isClosed) this.#body.end()
  }
  /** Closes the connection, which the client may have lost. */
  destroy(): void {
    this.#ctx.res.destroy()
  }
}

/** Responds with the headers of a stream that ends at once. */
export function respondWithoutEvents(ctx: Koa.Context): void {
  const stream = new EventStream(ctx)
  stream.respond()
  stream.end()
}
