import type { Plugin } from './plugin.ts'
import { remember } from './remember.ts'

/** Who joins in at a moment; settled once for each, so that a request asks nobody else. */
export function joiningOf(plugins: readonly Plugin[]): (moment: keyof Plugin) => readonly Plugin[] {
  const joining = new Map<keyof Plugin, readonly Plugin[]>()
  return (moment) => remember(joining, moment, () => plugins.filter((plugin) => plugin[moment] !== undefined))
}
