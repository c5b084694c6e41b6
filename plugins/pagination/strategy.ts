import type { Paginator } from '#kernel/plugin'

/** A paginator that a menu can offer. */
export interface Strategy extends Paginator {
  /** Members of `page` that no other strategy reads; each selects this strategy from a menu. */
  readonly selectedBy: readonly string[]
  /** Returns a copy of another kind, so that a menu can offer the strategy twice. */
  named(kind: string): Strategy
}

export function strategy(paginator: Paginator, selectedBy: readonly string[] = []): Strategy {
  return { ...paginator, selectedBy, named: (kind) => strategy({ ...paginator, kind }, selectedBy) }
}
