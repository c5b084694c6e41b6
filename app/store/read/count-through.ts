import type { Context, Relation, ResourceType, Row } from '#kernel/store'
import type { Compiler } from '../sql/compiler.ts'
import { runCached } from '../sql/statement-cache.ts'
import { createStatementKey } from '../sql/statement-key.ts'
import { totalsIn, totalsText } from './count-related.ts'

/** Counts the rows at the end of a path of relations for all parents, in one statement. Every hop is within its scope. */
export async function countThrough(
  path: readonly Relation[],
  parents: readonly Row[],
  context: Context,
): Promise<number[]> {
  const first = path[0] as Relation
  const targets = path.map(({ target }) => target)
  if (!context.trusted) refuseRowsByView(targets)
  const keys = parents.map((parent) => parent[first.owner.id.property])
  const key = await createStatementKey(first.target, targets, [], context)
  key.addKeys(`through ${path.map(({ name }) => name)}`, keys)
  const rows = await runCached(first, key, context, (compiler) => throughText(compiler, path, keys))
  return totalsIn(rows, keys)
}

/** Throws if a type of the path filters rows after they are read: the statement would count hidden rows. */
function refuseRowsByView(types: readonly ResourceType[]): void {
  const type = types.find(({ leavesOutRows }) => leavesOutRows)
  if (!type) return
  throw new Error(`Cannot count through '${type.name}': its policy sets rowsByView. Give the policy a scope instead.`)
}

function throughText(compiler: Compiler, path: readonly Relation[], keys: readonly unknown[]): string {
  const [first, ...rest] = path as [Relation, ...Relation[]]
  let alias = compiler.alias()
  const { from, parentKey } = compiler.link(first, alias)
  const tables = [from]
  const where = [compiler.isOneOf(parentKey, keys), compiler.scope(first.target, alias)]
  for (const relation of rest) {
    const inner = compiler.alias()
    const hop = compiler.join(relation, alias, inner)
    tables.push(hop.from)
    where.push(hop.on, compiler.scope(relation.target, inner))
    alias = inner
  }
  // Only a many-to-many leads to the same row twice.
  const count = path.some(({ kind }) => kind !== 'hasMany' && kind !== 'hasOne')
    ? `count(distinct ${compiler.key((path.at(-1) as Relation).target, alias)})`
    : 'count(*)'
  const conditions = where.filter((condition) => condition !== undefined).join(' and ')
  return totalsText(`${tables.join(', ')} where ${conditions}`, parentKey, count)
}
