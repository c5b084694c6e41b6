import type Koa from 'koa'

declare module 'koa' {
  interface DefaultState {
    /** The bytes of the request body that are held in memory. */
    bodyBytes?: number
  }
}

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
   * Sets the bytes that a request holds. Returns whether all requests together are within the limit. A single body is
   * accepted in any case: its own limit may be larger.
   */
  hold({ state }: Koa.Context, bytes: number): boolean {
    this.#held += bytes - (state.bodyBytes ?? 0)
    state.bodyBytes = bytes
    return this.#limit === 0 || this.#held <= this.#limit || this.#held === bytes
  }

  release(ctx: Koa.Context): void {
    if (ctx.state.bodyBytes) this.hold(ctx, 0)
  }
}
