/** An error that the database reports. */
export interface SqlError extends Error {
  readonly code?: string
  readonly detail?: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  /** The function of the server that raised the error. */
  readonly routine?: string
  /** The context in the server, such as the parameter of a statement. */
  readonly where?: string
  /** The text of the statement, with masked values. */
  readonly statement?: string
}

/** Whether the database has reported the error. It aborts the transaction. */
export function hasSqlState(error: unknown): boolean {
  return /^[\dA-Z]{5}$/.test(codeOf(error))
}

export function codeOf(error: unknown): string {
  const code = (error as SqlError | null)?.code
  return typeof code === 'string' ? code : ''
}
