import type { Need, ResourceType } from '#kernel/plugin'

/** Without the plugin its table may be missing, new rows have no key, and unknown scopes would be accepted. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  return declaration.issuesApiKeys ? [{ member: 'issuesApiKeys', ignored: "'issuesApiKeys'" }] : []
}
