import type { Need, ResourceType } from '#kernel/plugin'

/** Without its status, a declared exception is a 500. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return declaration.exceptions?.length ? [{ member: 'exceptions', ignored: "'exceptions'" }] : []
}
