/** What an error of the store names. */
export interface StatementNames {
  /** The code that the store gives the error. */
  readonly code: string
  /** The text of the statement, with masked values. */
  readonly statement?: string | undefined
  readonly constraint?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
  /** The functions of the application that returned conditions of the statement: `LabelPolicy.scope`, for example. */
  readonly declaredBy?: readonly string[] | undefined
}

/** A statement that the store rejected. Holds no value of a row or of a request, so that it can be logged. */
export class StatementError extends Error {
  readonly code: string
  /** Private, so that a logger that writes the properties of errors does not repeat them. */
  readonly #names: StatementNames

  constructor(message: string, names: StatementNames) {
    super(message)
    this.name = 'StatementError'
    this.code = names.code
    this.#names = names
  }

  get names(): StatementNames {
    return this.#names
  }
}
