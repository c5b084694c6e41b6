import { PassThrough } from 'node:stream'
import type Koa from 'koa'

/** Bytes that a client may leave unread. */
export const maxUnread = 1_048_576
/** Milliseconds after which a client connects again. */
const retry = 1_000

/** A response of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  readonly #ctx: Koa.Context
  readonly #body = new PassThrough()
  #isClosed = false

  constructor(ctx: Koa.Context, onClose: () => void) {
    this.#ctx = ctx
    this.#body.write(`retry: ${retry}\n\n`)
    ctx.res.once('close', () => {
      this.#isClosed = true
      this.#body.destroy()
      onClose()
    })
  }

  /** Makes the stream the response. */
  respond(): void {
    const ctx = this.#ctx
    for (const name of ['ETag', 'Content-Length', 'Link', 'Last-Modified']) ctx.remove(name)
    ctx.status = 200
    ctx.body = this.#body
    ctx.type = 'text/event-stream'
    ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
  }

  /** Sends an event. Closes the connection of a client that has left too much unread: it resumes when it connects again. */
  send(event: string, id: string, data: string): void {
    this.#write(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`)
  }

  /** Keeps proxies and the time-out of unread responses from closing the connection. */
  beat(): void {
    this.#write(':\n\n')
  }

  #write(text: string): void {
    if (this.#isClosed) return
    const { res } = this.#ctx
    if (this.#body.writableLength + this.#body.readableLength + res.writableLength > maxUnread) res.destroy()
    else this.#body.write(text)
  }

  end(): void {
    if (!this.#isClosed) this.#body.end()
  }
}
