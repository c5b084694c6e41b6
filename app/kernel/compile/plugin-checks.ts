import type { DisabledPlugin, Plugin } from '../contract/plugin.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import type { DeclaredResource, Registry, Resource } from '../schema/resource-type.ts'

/** The application cannot start. The message lists all faults, one sentence per line. */
export class BootError extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.name = 'BootError'
  }
}

/**
 * Checks the order of the list, `requires`, DISABLED_PLUGINS and the owners of query families. A name for which there is no
 * plugin, listed or not, gets a suggestion.
 */
export function checkPlugins(
  list: readonly Plugin[],
  disabled: readonly string[],
  unlisted: readonly DisabledPlugin[],
): string[] {
  const faults: string[] = []
  const above = new Set<string>()
  const families = new Map<string, string>()
  const names = [...list, ...unlisted].map(({ name }) => name)
  const suggestion = (name: string) => (names.includes(name) ? '' : didYouMean(name, names))
  for (const name of disabled) {
    if (list.some((plugin) => plugin.name === name)) continue
    faults.push(`DISABLED_PLUGINS names '${name}', which is not a plugin.${suggestion(name)}`)
  }
  for (const plugin of list.filter(({ name }) => !disabled.includes(name))) {
    if (above.has(plugin.name)) faults.push(`Plugin '${plugin.name}' is listed twice in app/plugins.ts.`)
    for (const needed of plugin.requires ?? []) {
      if (above.has(needed)) continue
      if (disabled.includes(needed)) faults.push(`Plugin '${plugin.name}' needs '${needed}': disable both, or neither.`)
      else faults.push(`Plugin '${plugin.name}' needs '${needed}' above it in app/plugins.ts.${suggestion(needed)}`)
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

/** A value in a declaration that names the plugin it needs, because it would be ignored without it. */
export interface RequiresPlugin {
  readonly requiredPlugin: string
}

/** Returns a sentence for each declared value that names a plugin which is off. */
export function missingPlugins(resources: readonly DeclaredResource[], plugins: readonly Plugin[]): string[] {
  const names = new Set(plugins.map((plugin) => plugin.name))
  return resources.flatMap(({ file, resource }) => {
    const { declaration } = (resource ?? {}) as Partial<Resource>
    return Object.entries(declaration ?? {}).flatMap(([key, value]) => {
      const needed = pluginsNeededBy(value).filter((name) => !names.has(name))
      return needed.map((name) => `${declaration?.type}.${key} (${file}): ${unmetNeed(name, `'${key}'`)}`)
    })
  })
}

/** Reports the declarations that change their meaning without a plugin which is off. */
export function reportUnmetNeeds(registry: Registry, disabled: readonly DisabledPlugin[]): void {
  for (const type of registry.types.values()) {
    for (const { name, neededBy } of disabled) {
      for (const { member, ignored } of neededBy?.(type, registry) ?? [])
        registry.fail(type, member, unmetNeed(name, ignored))
    }
  }
}

function unmetNeed(plugin: string, ignored: string): string {
  return `needs the plugin '${plugin}', which is off; without it ${ignored} would be ignored.`
}

/** Reads `requiredPlugin` of a value, or of each value of a list. */
function pluginsNeededBy(value: unknown): string[] {
  const needed = [value].flat().flatMap((item) => (item as Partial<RequiresPlugin> | null)?.requiredPlugin ?? [])
  return [...new Set(needed)]
}

/** Returns sentences about declarations that are valid but probably mistakes. */
export function bootWarnings(registry: Registry): string[] {
  const withDeadLinks = [...registry.types.values()].filter(
    ({ emitsSelfLink, operations }) => emitsSelfLink && !operations.has('FetchOne'),
  )
  const ofKernel = withDeadLinks.map(
    ({ name, file }) =>
      `${name} (${file}): Its resources have self links, but FetchOne is not exposed: the links are 404s.`,
  )
  return [...ofKernel, ...registry.warnings]
}
