import { type ApiError, ApiErrors } from './errors.ts'

/**
 * Collects the errors of a request, so that one answer tells all of them. Throws what it has when there are more than the
 * limit: whatever reads the request stops there, so that a wrong request costs no more than a right one.
 */
export class Faults {
  readonly #errors: ApiError[] = []
  readonly #limit: number
  #truncated = false

  /** 0 is no limit. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get count(): number {
    return this.#errors.length
  }

  push(error: ApiError): void {
    if (this.#limit > 0 && this.#errors.length >= this.#limit) {
      this.truncate()
      this.throwAny()
    }
    this.#errors.push(error)
  }

  /** Notes that a check ended early, and there may be more errors. */
  truncate(): void {
    this.#truncated = true
  }

  /** Throws the errors, if there are any. */
  throwAny(): void {
    const [first] = this.#errors
    if (!first) return
    if (this.#errors.length === 1 && !this.#truncated) throw first
    throw new ApiErrors(this.#errors, { truncated: this.#truncated })
  }
}
