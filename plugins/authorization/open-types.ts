import { type App, BootError, type Registry, type ResourceType } from '#kernel'

const writes = ['Create', 'Update', 'Delete'] as const

/** Types that anyone can write because their declaration has no `policy`, not even `policy: open`. */
export function openTypes({ types }: Registry): readonly ResourceType[] {
  return [...types.values()].filter(
    ({ declaration, operations }) => declaration.policy === undefined && writes.some((name) => operations.has(name)),
  )
}

/** Warns of such types at every start; production refuses to start unless `ALLOW_OPEN_TYPES` says otherwise. */
export function checkOpenTypes({ registry, config, logger }: App): void {
  const types = openTypes(registry)
  if (types.length === 0) return
  const message = `Anyone can write ${types.map(({ name }) => name).join(', ')}: add a policy, or 'policy: open' where that is meant.`
  if (config.production && config.variables.ALLOW_OPEN_TYPES !== true) {
    throw new BootError([`${message} ALLOW_OPEN_TYPES=true starts production as it is.`])
  }
  logger?.warn({ types: types.map(({ name }) => name) }, message)
}
