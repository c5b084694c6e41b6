import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin, writes without an idempotency key would be accepted. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  const { requireIdempotencyKey } = declaration
  return requireIdempotencyKey ? [{ member: 'requireIdempotencyKey', ignored: "'requireIdempotencyKey'" }] : []
}
