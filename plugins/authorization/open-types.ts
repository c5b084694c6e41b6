import { type App, BootError, type Registry, type ResourceType } from '#kernel/plugin'

const writes = ['Create', 'Update', 'Delete'] as const

/** Returns the types that any caller can write because their declaration sets no `policy`, not even `open`. */
function openTypes({ types }: Registry): readonly ResourceType[] {
  return [...types.values()].filter(
    ({ declaration, operations, actions }) =>
      declaration.policy === undefined &&
      (writes.some((name) => operations.has(name)) || actions.some(({ method }) => method !== 'GET')),
  )
}

export function openTypeWarnings(registry: Registry): readonly string[] {
  return openTypes(registry).map(
    ({ name, file }) =>
      `${name} (${file}): Any caller can write this type: add a policy, or 'policy: open' if that is intended.`,
  )
}

/** Throws in production if a type is open by omission and `ALLOW_OPEN_TYPES` is not true. */
export function refuseOpenTypes({ registry, config }: App): void {
  const warnings = openTypeWarnings(registry)
  if (warnings.length === 0 || !config.production || config.variables.ALLOW_OPEN_TYPES === true) return
  throw new BootError([...warnings, 'Set ALLOW_OPEN_TYPES=true to start production with these types.'])
}
