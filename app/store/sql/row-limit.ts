import type { Row, RowLimit, Window } from '#kernel/store'

/** The row limit of a statement, which limits the size of the document. */
export interface RowBound {
  /** Bound as `limit`: one row more than allowed. */
  readonly rows: number
  readonly refuse: () => never
}

/**
 * Null if the query has no row limit, or if its window is smaller. A window of several parents reads one more row per
 * parent, which is not shown.
 */
export function rowBound(
  { window, rowLimit }: { readonly window: Window | null; readonly rowLimit?: RowLimit | null },
  parents = 1,
): RowBound | null {
  if (!rowLimit) return null
  const { rows, refuse } = rowLimit
  const isSmaller = window !== null && window.limit !== null && window.limit * parents <= rows
  if (isSmaller) return null
  const probes = parents > 1 && window?.probe ? parents : 0
  return { rows: rows + probes + 1, refuse }
}

/** Throws if the statement found more rows than allowed. */
export function checkRows(rows: readonly Row[], bound: RowBound | null): void {
  if (bound && rows.length >= bound.rows) bound.refuse()
}

export const rowsIn = ({ rows }: RowBound) => rows
