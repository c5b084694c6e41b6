import type { QueryContext } from '#kernel/plugin'

/** Whether the primary data of the response are resources. */
export function showsResources({ kind, target }: Pick<QueryContext, 'kind' | 'target'>): boolean {
  if (target.action) return target.action.shows !== null
  return target.kind !== 'relationship' && kind !== 'Delete'
}
