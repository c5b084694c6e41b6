import type { Plugin } from '../model/plugin.ts'
import type { DeclaredResource, Registry } from '../model/resource-type.ts'

/** The application cannot start; the message says everything that is wrong, one sentence a line. */
export class BootError extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'BootError'
  }
}

/** The order of the list, and who needs whom. */
export function checkPlugins(list: readonly Plugin[], disabled: readonly string[]): string[] {
  const faults: string[] = []
  const above = new Set<string>()
  const families = new Map<string, string>()
  for (const name of disabled) {
    if (!list.some((plugin) => plugin.name === name))
      faults.push(`DISABLED_PLUGINS names '${name}', which is not a plugin.`)
  }
  for (const plugin of list.filter(({ name }) => !disabled.includes(name))) {
    if (above.has(plugin.name)) faults.push(`Plugin '${plugin.name}' stands twice in app/plugins.ts.`)
    for (const needed of plugin.requires ?? []) {
      if (above.has(needed)) continue
      if (disabled.includes(needed)) faults.push(`Plugin '${plugin.name}' needs '${needed}': disable both, or neither.`)
      else faults.push(`Plugin '${plugin.name}' needs '${needed}' above it in app/plugins.ts.`)
    }
    for (const family of Object.keys(plugin.parameters ?? {})) {
      const owner = families.get(family)
      if (owner) faults.push(`The query parameter '${family}' is owned by '${owner}' and by '${plugin.name}'.`)
      families.set(family, plugin.name)
    }
    above.add(plugin.name)
  }
  return faults
}

/** A declared value may name the plugin without which it would open data or change its meaning. */
export interface NeedsPlugin {
  readonly needsPlugin: string
}

export function missingPlugins(resources: readonly DeclaredResource[], plugins: readonly Plugin[]): string[] {
  const names = new Set(plugins.map((plugin) => plugin.name))
  return resources.flatMap(({ file, resource: { declaration } }) =>
    Object.entries(declaration).flatMap(([key, value]) => {
      const needed = pluginsNeededBy(value).filter((name) => !names.has(name))
      return needed.map(
        (name) =>
          `${declaration.type}.${key} (${file}): needs the plugin '${name}', which is off; without it '${key}' would be ignored.`,
      )
    }),
  )
}

/** A value, or any of a list of values. */
function pluginsNeededBy(value: unknown): string[] {
  const needed = [value].flat().flatMap((one) => (one as Partial<NeedsPlugin> | null)?.needsPlugin ?? [])
  return [...new Set(needed)]
}

/** What is allowed, but hardly meant. */
export function bootWarnings(registry: Registry, plugins: readonly Plugin[]): string[] {
  const lost = [...registry.types.values()].filter(
    ({ emitsSelfLink, operations }) => emitsSelfLink && !operations.has('FetchOne'),
  )
  const own = lost.map(
    ({ name, file }) =>
      `${name} (${file}): Its resources link to themselves, but FetchOne is not exposed: the links lead nowhere.`,
  )
  return [...own, ...plugins.flatMap((plugin) => plugin.warnings?.(registry) ?? [])]
}
