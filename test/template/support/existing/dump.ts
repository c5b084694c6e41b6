import type { Database } from '#store'
import { introspect } from '../../../../scripts/database/introspect.ts'

/** Tables that the application adds to a database: those of plugins, and that of the applied migrations. */
export const addedTables: readonly string[] = ['api_keys', 'idempotency_keys', 'migrations']

/** All definitions and rows of the schema `public` as text, without the tables that the application adds. */
export async function dumpDatabase({ orm }: Database): Promise<string> {
  const { relations, sequences, otherSchemas: _, ...others } = await introspect(orm)
  const kept = relations.filter(({ name }) => !addedTables.includes(name))
  const rows: unknown[] = []
  for (const { name, isPopulated } of kept) {
    if (!isPopulated) continue
    const text = `select coalesce(json_agg(t::text order by t::text), '[]') as rows from ${quote(name)} t`
    const [row] = await orm.em.fork().execute<{ rows: string[] }[]>(text)
    rows.push(row?.rows)
  }
  const own = sequences.filter(({ owner }) => !addedTables.includes(owner?.split('.')[0] ?? ''))
  return JSON.stringify({ kept, rows, own, others }, null, 1)
}

/** The number of rows of every table and view. */
export async function rowCounts({ orm }: Database): Promise<Record<string, number>> {
  const { relations } = await introspect(orm)
  const counts: Record<string, number> = {}
  for (const { name, isPopulated } of relations) {
    if (!isPopulated) continue
    const [row] = await orm.em.fork().execute<{ count: number }[]>(`select count(*)::int as count from ${quote(name)}`)
    counts[name] = row?.count ?? 0
  }
  return counts
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
