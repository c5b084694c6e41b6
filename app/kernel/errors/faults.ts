import { type ApiError, ApiErrors } from './errors.ts'

/**
 * Collects the errors of a request for one error document. Throws as soon as there are more than the limit, which stops
 * the validation, so that an invalid request does not cost more than a valid one.
 */
export class Faults {
  /** The number of errors so far. */
  count = 0
  readonly #errors: ApiError[] = []
  readonly #limit: number
  #truncated = false

  /** A limit of 0 is no limit. */
  constructor(limit: number) {
    this.#limit = limit
  }

  push(error: ApiError): void {
    if (this.#limit > 0 && this.count >= this.#limit) {
      this.truncate()
      this.throwAny()
    }
    this.count = this.#errors.push(error)
  }

  /** Marks the errors as incomplete, because a check stopped early. */
  truncate(): void {
    this.#truncated = true
  }

  /** Throws the errors, if there are any. */
  throwAny(): void {
    if (this.count === 0) return
    if (this.count === 1 && !this.#truncated) throw this.#errors[0]
    throw new ApiErrors(this.#errors, { truncated: this.#truncated })
  }
}
