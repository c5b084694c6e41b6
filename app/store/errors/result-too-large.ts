/** The rows of a statement have more bytes than MAX_RESULT_BYTES. */
export class ResultTooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`The rows of a statement have more than ${limit} bytes.`)
    this.limit = limit
  }
}
