import type { pageMembers } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'

/** A paginator that a menu can offer. */
export interface Strategy<Members = unknown, Kind extends string = string> extends Paginator {
  readonly [pageMembers]?: Members
  readonly kind: Kind
  /** Members of `page` that no other strategy reads; each selects this strategy from a menu. */
  readonly selectedBy: readonly string[]
  /** Returns a copy of another kind, so that a menu can offer the strategy twice. */
  named<const Name extends string>(kind: Name): Strategy<Members, Name>
}

export function strategy<Members, const Kind extends string = string>(
  paginator: Paginator & { readonly kind: Kind },
  selectedBy: readonly string[] = [],
): Strategy<Members, Kind> {
  return { ...paginator, selectedBy, named: (kind) => strategy({ ...paginator, kind }, selectedBy) }
}
