import type { Row, RowLimit, Window } from '#kernel/store'
import type { Slot } from './statement-builder.ts'

/** The row limit of a statement, which limits the size of the document. */
export interface RowBound {
  /** Bound as `limit`: one row more than allowed. */
  readonly rows: number
  readonly refuse: () => never
}

/**
 * Null if the read has no row limit, or if its window is smaller. A window of several parents reads one more row per
 * parent, which is not shown.
 */
export function rowBound(window: Window | null, limit: RowLimit | null, parents = 1): RowBound | null {
  if (!limit) return null
  const { rows, refuse } = limit
  const isSmaller = window !== null && window.limit !== null && window.limit * parents <= rows
  if (isSmaller) return null
  const probes = parents > 1 && window?.probe ? parents : 0
  return { rows: rows + probes + 1, refuse }
}

/** Throws if the statement found more rows than allowed. */
export function checkRowCount(rows: readonly Row[], bound: Slot<RowBound> | null): void {
  if (bound && rows.length >= bound.value.rows) bound.value.refuse()
}

export const rowsIn = ({ rows }: RowBound) => rows
