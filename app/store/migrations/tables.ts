import type { SqlEntityManager } from '@mikro-orm/sql'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'

type RowCounts = Readonly<Record<string, number>>

export async function emptyTables(em: SqlEntityManager): Promise<void> {
  const tables = tableNames(em).map(quoteIdentifier)
  if (tables.length > 0) await em.execute(`truncate table ${tables.join(', ')} restart identity cascade`)
}

/** Sets every sequence to the highest id: rows inserted with explicit ids do not advance it. */
export async function continueSequences(em: SqlEntityManager): Promise<void> {
  const calls = sequences(em).map(({ table, column }) => {
    const sequence = `pg_get_serial_sequence('${quoteIdentifier(table)}', '${column}')`
    return `(select setval(${sequence}, coalesce(max(${quoteIdentifier(column)}), 0) + 1, false) from ${quoteIdentifier(table)})`
  })
  if (calls.length > 0) await em.execute(`select ${calls.join(', ')}`)
}

export async function countRows(em: SqlEntityManager): Promise<RowCounts> {
  const counts = tableNames(em).map(
    (table) => `(select count(*)::int from ${quoteIdentifier(table)}) as ${quoteIdentifier(table)}`,
  )
  const [row] = await em.execute<RowCounts[]>(`select ${counts.join(', ')}`)
  return row ?? {}
}

function tables(em: SqlEntityManager) {
  return [...em.getMetadata().getAll().values()].filter(
    (meta) => meta.tableName && !meta.virtual && !meta.view && !meta.embeddable,
  )
}

/** Returns distinct names, because two entities may share a table. */
export function tableNames(em: SqlEntityManager): string[] {
  return [...new Set(tables(em).map((meta) => meta.tableName))].sort()
}

function sequences(em: SqlEntityManager): { table: string; column: string }[] {
  return tables(em).flatMap((meta) =>
    meta.getPrimaryProps().flatMap((prop) => {
      const column = prop.autoincrement ? prop.fieldNames[0] : undefined
      return column ? [{ table: meta.tableName, column }] : []
    }),
  )
}
