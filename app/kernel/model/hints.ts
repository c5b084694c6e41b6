import type { App } from './app.ts'
import type { Hint } from './hint.ts'

/** Returns the hints of all plugins; none in production. */
export function developmentHints(app: App): readonly Hint[] {
  return app.config.production ? [] : app.plugins.flatMap((plugin) => plugin.hints?.(app) ?? [])
}
