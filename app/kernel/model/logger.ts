export interface Logger {
  /** Left out, it hears of every level. */
  isLevelEnabled?(level: string): boolean
  error(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
