import type { Context, Relation, RelationQuery, Row } from '#kernel/store'
import { firstRowOnly } from '../sql/pivot.ts'
import { rowFilters } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import { createStatementKey } from '../sql/statement-key.ts'

/** Counts the members of each parent under the conditions of a query, in one grouped statement. */
export async function countMembers(
  relation: Relation,
  parents: readonly Row[],
  { where: conditions }: RelationQuery,
  context: Context,
): Promise<number[]> {
  const { owner, target } = relation
  const key = await createStatementKey(target, [target], conditions, context)
  const keys = parents.map((parent) => parent[owner.id.property])
  key.addKeys('members', keys)
  const rows = await runCached(relation, key, context, (compiler) => {
    const alias = compiler.alias()
    const { from, parentKey, pivot } = compiler.link(relation, alias)
    const where = [
      compiler.isOneOf(parentKey, keys),
      ...rowFilters(compiler, target, key.where, alias),
      ...(pivot ? firstRowOnly(compiler, pivot, key.where) : []),
    ]
    return totalsText(`${from} where ${where.join(' and ')}`, parentKey, 'count(*)')
  })
  return totalsIn(rows, keys)
}

/** The text of a statement that counts rows by parent. */
export function totalsText(from: string, parentKey: string, count: string): string {
  return `select ${parentKey} as "parent", ${count}::int as "total" from ${from} group by ${parentKey}`
}

/** The counts of such a statement, in the order of the parents. */
export function totalsIn(rows: readonly Row[], keys: readonly unknown[]): number[] {
  const totals = new Map<string, number>()
  for (const { parent, total } of rows) totals.set(String(parent), total as number)
  return keys.map((key) => totals.get(String(key)) ?? 0)
}
