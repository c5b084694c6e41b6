import type { Condition, Context, Relation, ResourceType, Row } from '#kernel/store'
import type { Compiler } from '../sql/compiler.ts'
import { runStatement } from '../sql/run-statement.ts'
import { createStatement, type Slot, whenResolved } from '../sql/statement-builder.ts'

type Path = readonly [Relation, ...Relation[]]

/**
 * Counts the rows at the end of a path of relations, for an author's attribute. Every hop is within its scope. Rejects if a
 * type of the path filters rows after they are read: the statement would count hidden rows.
 */
export function countThrough(path: readonly Relation[], parents: readonly Row[], context: Context): Promise<number[]> {
  for (const { target } of path) {
    if (context.trusted || !target.rowFilterReason) continue
    const reason = `its ${target.rowFilterReason}. Give the policy a scope instead.`
    return Promise.reject(new Error(`Cannot count through '${target.name}': ${reason}`))
  }
  return countByParent(path as Path, parents, [], context)
}

/** Counts for all parents by one grouped statement, not by N+1. The conditions apply to the end of the path. */
export function countByParent(
  path: Path,
  parents: readonly Row[],
  conditions: readonly Condition[],
  context: Context,
): Promise<number[]> {
  const [first] = path
  const { property } = first.owner.id
  const keys: unknown[] = []
  for (const parent of parents) keys.push(parent[property])
  const targets: ResourceType[] = []
  let part = 'count'
  for (const { name, target } of path) {
    targets.push(target)
    part += ` ${name}`
  }
  const pending = createStatement(targets.at(-1) as ResourceType, targets, conditions, context)
  return whenResolved(pending, (statement) => {
    const slot = statement.addKeys(part, keys)
    return runStatement(first, statement, (compiler, where) => pathText(compiler, path, slot, where))
  }).then((rows) => totalsInOrder(rows, keys))
}

function pathText(
  compiler: Compiler,
  [first, ...rest]: Path,
  keys: Slot<readonly unknown[]>,
  conditions: readonly Condition[],
): string {
  let { target } = first
  let alias = compiler.alias()
  const { from, parentKey, pivot } = compiler.relationSource(first, alias)
  const tables = [from]
  const where = [compiler.isOneOf(parentKey, keys)]
  for (const relation of rest) {
    where.push(...compiler.filters(target, alias))
    const inner = compiler.alias()
    const hop = compiler.join(relation, alias, inner)
    tables.push(hop.from)
    where.push(hop.on)
    target = relation.target
    alias = inner
  }
  where.push(...compiler.filters(target, alias, conditions))
  // Each row holds the foreign key of the previous one, or a join table with the primary key (parent, member).
  const isPair = rest.length === 0 && pivot !== undefined && pivot.meta.primaryKeys.length > 1
  const isCountedOnce = isPair || [first, ...rest].every(({ kind }) => kind === 'hasMany' || kind === 'hasOne')
  const count = isCountedOnce ? 'count(*)' : `count(distinct ${compiler.key(target, alias)})`
  return totalsText(`${tables.join(', ')} where ${where.join(' and ')}`, parentKey, count)
}

/** The text of a statement that counts rows by parent. */
export function totalsText(from: string, parentKey: string, count: string): string {
  return `select ${parentKey} as "parent", ${count}::int as "total" from ${from} group by ${parentKey}`
}

/** The counts of such a statement, in the order of the parents. */
export function totalsInOrder(rows: readonly Row[], keys: readonly unknown[]): number[] {
  const totals = new Map<string, number>()
  for (const { parent, total } of rows) totals.set(String(parent), total as number)
  const counts: number[] = []
  for (const key of keys) counts.push(totals.get(String(key)) ?? 0)
  return counts
}
