import type { Paginator } from '#kernel/plugin'

/** A paginator that can stand in a menu. */
export interface Strategy extends Paginator {
  /** Members of `page` that only this strategy reads: one of them selects it. */
  readonly selectedBy: readonly string[]
  /** The same under another name, so that a menu may offer a strategy twice. */
  named(kind: string): Strategy
}

export function strategy(paginator: Paginator, selectedBy: readonly string[] = []): Strategy {
  return { ...paginator, selectedBy, named: (kind) => strategy({ ...paginator, kind }, selectedBy) }
}
