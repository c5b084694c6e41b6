import createError from 'http-errors'
import type { Exchange } from './request.ts'

/** Counts the bytes of all request bodies that the process holds, and limits them. */
export class BodyBudget {
  readonly #limit: number
  #held = 0

  /** 0 is no limit. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get held(): number {
    return this.#held
  }

  /**
   * Sets the bytes that a request holds. Throws a 503 if all requests together hold more than the limit. A single body
   * is accepted in any case: its own limit may be larger.
   */
  hold(exchange: Exchange, bytes: number): void {
    const previous = exchange.bodyBytes ?? 0
    this.#held += bytes - previous
    exchange.bodyBytes = bytes
    if (this.#limit === 0 || bytes <= previous || this.#held <= this.#limit || this.#held === bytes) return
    exchange.ctx.state.refusedBy = 'received-bytes'
    throw createError(503, 'The service receives too many request bodies at the same time.', {
      headers: { 'Retry-After': '1' },
    })
  }

  release(exchange: Exchange): void {
    if (exchange.bodyBytes) this.hold(exchange, 0)
  }
}
