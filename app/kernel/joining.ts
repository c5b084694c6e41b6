import type { MomentOfType, Plugin } from './plugin.ts'
import { remember } from './remember.ts'
import type { ResourceType } from './resource.ts'

export interface Joining {
  /** The plugins that join in at a moment. */
  with(moment: keyof Plugin): readonly Plugin[]
  /** Those that join in for a type. */
  joining(moment: MomentOfType, type: ResourceType): readonly Plugin[]
}

/** Who joins in at a moment; settled once for each, so that a request asks nobody else. */
export function joiningOf(plugins: readonly Plugin[]): Joining {
  const all: Partial<Record<keyof Plugin, readonly Plugin[]>> = {}
  const ofTypes = new Map<MomentOfType, Map<ResourceType, readonly Plugin[]>>()
  const joined = (moment: keyof Plugin) => plugins.filter((plugin) => plugin[moment] !== undefined)
  return {
    with(moment) {
      all[moment] ??= joined(moment)
      return all[moment]
    },
    joining(moment, type) {
      const known = ofTypes.get(moment)?.get(type)
      if (known) return known
      const own = joined(moment).filter((plugin) => plugin.joins?.(type, moment) ?? true)
      remember(ofTypes, moment, () => new Map<ResourceType, readonly Plugin[]>()).set(type, own)
      return own
    },
  }
}
