import { type App, BootError, type Registry, type ResourceType } from '#kernel/plugin'

const writes = ['Create', 'Update', 'Delete'] as const

/** Types that anyone can write because their declaration has no `policy`, not even `policy: open`. */
function openTypes({ types }: Registry): readonly ResourceType[] {
  return [...types.values()].filter(
    ({ declaration, operations }) => declaration.policy === undefined && writes.some((name) => operations.has(name)),
  )
}

export function openTypeWarnings(registry: Registry): readonly string[] {
  return openTypes(registry).map(
    ({ name, file }) => `${name} (${file}): Anyone can write it: add a policy, or 'policy: open' where that is meant.`,
  )
}

/** Production refuses to start with such types unless `ALLOW_OPEN_TYPES` is true. */
export function refuseOpenTypes({ registry, config }: App): void {
  const warnings = openTypeWarnings(registry)
  if (warnings.length === 0 || !config.production || config.variables.ALLOW_OPEN_TYPES === true) return
  throw new BootError([...warnings, 'ALLOW_OPEN_TYPES=true starts production all the same.'])
}
