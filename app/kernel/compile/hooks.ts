import { remember } from '../lib/get-or-create.ts'
import type { Joining } from '../model/hook-lookup.ts'
import type { MomentOfType, Plugin } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'

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
