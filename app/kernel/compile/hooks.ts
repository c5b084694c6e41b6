import { getOrCreate } from '../lib/get-or-create.ts'
import type { HookLookup, Plugin, TypeHook } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'

/** Who joins in at a moment; settled once for each, so that a request asks nobody else. */
export function createHookLookup(plugins: readonly Plugin[]): HookLookup {
  const all: Partial<Record<keyof Plugin, readonly Plugin[]>> = {}
  const ofTypes = new Map<TypeHook, Map<ResourceType, readonly Plugin[]>>()
  const joined = (moment: keyof Plugin) => plugins.filter((plugin) => plugin[moment] !== undefined)
  return {
    hooks(moment) {
      all[moment] ??= joined(moment)
      return all[moment]
    },
    hooksFor(moment, type) {
      const known = ofTypes.get(moment)?.get(type)
      if (known) return known
      const own = joined(moment).filter((plugin) => plugin.appliesTo?.(type, moment) ?? true)
      getOrCreate(ofTypes, moment, () => new Map<ResourceType, readonly Plugin[]>()).set(type, own)
      return own
    },
  }
}
