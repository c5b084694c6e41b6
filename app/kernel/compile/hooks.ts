import { getOrCreate } from '../lib/get-or-create.ts'
import type { HookLookup, Plugin, TypeHook } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'

/** Precomputes, for each hook and type, the plugins that implement it, so that a request calls no other plugin. */
export function createHookLookup(plugins: readonly Plugin[]): HookLookup {
  const byHook: Partial<Record<keyof Plugin, readonly Plugin[]>> = {}
  const byType = new Map<TypeHook, Map<ResourceType, readonly Plugin[]>>()
  const hooks: HookLookup['hooks'] = (hook) => {
    byHook[hook] ??= plugins.filter((plugin) => plugin[hook] !== undefined)
    return byHook[hook]
  }
  return {
    hooks,
    hooksFor(hook, type) {
      const types = getOrCreate(byType, hook, () => new Map<ResourceType, readonly Plugin[]>())
      return getOrCreate(types, type, () => hooks(hook).filter((plugin) => plugin.appliesTo?.(type, hook) ?? true))
    },
  }
}

/** Returns the plugins with the hooks that `decorate` of each of them returns. */
export function decoratePlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  const decorate = (plugin: Plugin, { decorate }: Plugin) => decorate?.(plugin) ?? plugin
  return plugins.map((plugin) => plugins.reduce(decorate, plugin))
}
