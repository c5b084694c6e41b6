import type { Row, RowLimit, Window } from '#kernel/store'

/** The limit of a statement that protects the size of the document. */
export interface RowBound {
  /** Bound as `limit`: one row more than fits. */
  readonly rows: number
  readonly refuse: () => never
}

/**
 * Null when the query has no row limit, and when its window is smaller. A window of several parents reads one row past
 * each of them, which is not shown.
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

/** Throws when the statement found more rows than fit. */
export function checkRows(rows: readonly Row[], bound: RowBound | null): void {
  if (bound && rows.length >= bound.rows) bound.refuse()
}

export const rowsOf = ({ rows }: RowBound) => rows
