import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin, deleted rows would be shown, and DELETE would destroy rows. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return declaration.softDeletes ? [{ member: 'softDeletes', ignored: "'softDeletes'" }] : []
}
