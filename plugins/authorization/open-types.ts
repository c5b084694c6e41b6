import { type App, BootError, type Registry } from '#kernel/plugin'

/** Returns a warning for each type whose declaration sets no `policy`, not even `open`. */
export function openTypeWarnings({ types }: Registry): readonly string[] {
  return [...types.values()]
    .filter(({ declaration }) => declaration.policy === undefined)
    .map(
      ({ name, file }) =>
        `${name} (${file}): The type has no policy, every caller may use it: add one, or 'policy: open' if that is intended.`,
    )
}

/** Throws in production if a type is open by omission and `ALLOW_OPEN_TYPES` is not true. */
export function refuseOpenTypes({ registry, config }: App): void {
  const warnings = openTypeWarnings(registry)
  if (warnings.length === 0 || !config.production || config.variables.ALLOW_OPEN_TYPES === true) return
  throw new BootError([...warnings, 'Set ALLOW_OPEN_TYPES=true to start production with these types.'])
}
