import type { Store } from '#kernel/store'

/** Rows of one statement. */
const removedRows = 10_000

/**
 * Removes the rows whose keys a statement selects, in several transactions, so that none is long. The statement has no limit,
 * which is appended. With `for update skip locked` at its end, it keeps rows that another transaction changes so that they do not
 * meet its conditions any more. Returns the number of rows.
 */
export async function removeRows(
  store: Store,
  { table, key, selected }: { readonly table: string; readonly key: string; readonly selected: string },
  parameters: readonly unknown[],
): Promise<number> {
  // An array is searched in the index of the key; a join may scan the table for each batch.
  const sql = `delete from ${table} where ${key} = any (array(${selected} limit ${removedRows})) returning 1`
  for (let total = 0; ; ) {
    const { length } = await store.query(sql, parameters)
    total += length
    if (length < removedRows) return total
  }
}
