import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin, writes without `If-Match` would be accepted. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return declaration.requireIfMatch ? [{ member: 'requireIfMatch', ignored: "'requireIfMatch'" }] : []
}
