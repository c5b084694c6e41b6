import type { App } from './app.ts'

/** Values that developers use to try the API, such as tokens, for pages of the service. */
export interface Hint {
  readonly title: string
  /** A sentence that says how the values are used. */
  readonly text: string
  /** The meaning of each value. */
  readonly values: Readonly<Record<string, string>>
}

/** Returns the hints of all plugins; none in production. */
export function developmentHints(app: App): readonly Hint[] {
  return app.config.production ? [] : app.plugins.flatMap((plugin) => plugin.hints?.(app) ?? [])
}
