import type Koa from 'koa'

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
    this.hold(ctx, 0)
  }
}
