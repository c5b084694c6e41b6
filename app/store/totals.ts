import type { Context, Rec, Relation, RelationQuery } from '#kernel'
import { Compiler } from './compiler.ts'
import { firstRowOnly } from './pivot.ts'
import { filters } from './rows.ts'
import { resolveScopes } from './scopes.ts'
import { run, unitOf } from './unit.ts'

/** How many members each parent has under the conditions of a query: one grouped statement. */
export async function countMembers(
  relation: Relation,
  parents: readonly Rec[],
  { where: conditions }: RelationQuery,
  context: Context,
): Promise<number[]> {
  const { owner, target } = relation
  const compiler = new Compiler(unitOf(context), await resolveScopes([target], conditions, context))
  const alias = compiler.alias()
  const { from, parentKey, pivot } = compiler.link(relation, alias)
  const keys = parents.map((parent) => parent[owner.id.property])
  const where = [
    `${parentKey} = any(${compiler.bind(keys)})`,
    ...filters(compiler, target, conditions, alias),
    ...(pivot ? firstRowOnly(compiler, pivot, conditions) : []),
  ]
  return readTotals(compiler, `${from} where ${where.join(' and ')}`, parentKey, 'count(*)', keys, context)
}

/** The totals of a grouped statement, in the order of the parents. */
export async function readTotals(
  compiler: Compiler,
  from: string,
  parentKey: string,
  count: string,
  keys: readonly unknown[],
  context: Context,
): Promise<number[]> {
  const sql = `select ${parentKey} as "parent", ${count}::int as "total" from ${from} group by ${parentKey}`
  const rows = await run(sql, compiler.parameters, context)
  const totals = new Map(rows.map(({ parent, total }) => [String(parent), total as number]))
  return keys.map((key) => totals.get(String(key)) ?? 0)
}
