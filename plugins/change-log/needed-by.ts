import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin, changes would be lost, and listeners would not be called. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return (['changes', 'onChange', 'history'] as const)
    .filter((key) => declaration[key])
    .map((key) => ({ member: key, ignored: `'${key}'` }))
}
