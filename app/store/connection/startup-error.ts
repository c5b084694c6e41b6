/** A fault the operator can mend. Its message is one whole sentence; a stack trace would add nothing. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
