import type { App } from './app.ts'
import type { Hint } from './hint.ts'

/** Returns the hints of an application; none in production. */
export function developmentHints({ config, hints }: App): readonly Hint[] {
  return config.production ? [] : hints
}
