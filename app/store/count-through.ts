import type { Context, Rec, Relation } from '#kernel'
import { Compiler } from './compiler.ts'
import { resolveScopes } from './scopes.ts'
import { run, unitOf } from './unit.ts'

/** Counts the rows at the end of a path for all parents at once, every hop within the scope of its type. */
export async function countThrough(
  path: readonly Relation[],
  parents: readonly Rec[],
  context: Context,
): Promise<number[]> {
  const [first, ...rest] = path as [Relation, ...Relation[]]
  const scopes = await resolveScopes(
    path.map(({ target }) => target),
    [],
    context,
  )
  const compiler = new Compiler(unitOf(context), scopes)
  let alias = compiler.alias()
  const { from, parentKey } = compiler.link(first, alias)
  const keys = parents.map((parent) => parent[first.owner.id.property])
  const tables = [from]
  const where = [`${parentKey} = any(${compiler.bind(keys)})`, compiler.scope(first.target, alias)]
  for (const relation of rest) {
    const inner = compiler.alias()
    const hop = compiler.join(relation, alias, inner)
    tables.push(hop.from)
    where.push(hop.on, compiler.scope(relation.target, inner))
    alias = inner
  }
  // Only a many-to-many leads to one row twice.
  const count = path.some(({ kind }) => kind !== 'hasMany' && kind !== 'hasOne')
    ? `count(distinct ${compiler.key((path.at(-1) as Relation).target, alias)})`
    : 'count(*)'
  const conditions = where.filter((condition) => condition !== undefined).join(' and ')
  const sql = `select ${parentKey} as "parent", ${count}::int as "count" from ${tables.join(', ')} where ${conditions} group by ${parentKey}`
  const rows = await run(sql, compiler.parameters, context)
  const counts = new Map(rows.map(({ parent, count }) => [String(parent), count as number]))
  return keys.map((key) => counts.get(String(key)) ?? 0)
}
