import { type ApiError, ApiErrors } from './errors.ts'

/**
 * Collects the errors of a request for one error document. Throws as soon as there are more than the limit, which stops
 * the validation, so that an invalid request does not cost more than a valid one.
 */
export class Faults {
  readonly #errors: ApiError[] = []
  readonly #limit: number
  #truncated = false

  /** A limit of 0 is no limit. */
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

  /** Marks the errors as incomplete, because a check stopped early. */
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
