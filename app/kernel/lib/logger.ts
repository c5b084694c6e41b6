export interface Logger {
  /** Without it, all levels are logged. */
  isLevelEnabled?(level: string): boolean
  error(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
