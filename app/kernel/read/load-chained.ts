import type { Context } from '../data/context.ts'
import { emptyRelationQuery } from '../data/create-query.ts'
import { chainKey } from '../data/selection.ts'
import type { Relation, Row } from '../schema/field.ts'
import { filterPages } from './filter-rows.ts'
import { keyQuery } from './key-query.ts'
import { createLoad, runBeforeRelationLoad } from './load-relation.ts'
import type { TypeRows } from './type-rows.ts'

/**
 * Sets chained attributes (`on()`) to null if the requester may not see a row on the chain: a plugin hides it
 * (`filterRows`), or the relation has a read ability. Scopes are part of the statement that reads the attribute. Reads
 * one statement per relation of the chain.
 */
export async function hideChained({ plan, records }: TypeRows, context: Context): Promise<void> {
  for (const { attributes, hops } of plan.chains) {
    const visible = await recordsWithHops(hops, records, context)
    const hidden = records.filter((record) => !visible.has(record))
    for (const attribute of attributes) for (const record of hidden) record[chainKey(attribute)] = null
  }
}

/** The records whose chain only has rows that the requester may see. */
async function recordsWithHops(
  hops: readonly Relation[],
  records: readonly Row[],
  context: Context,
): Promise<ReadonlySet<Row>> {
  let reached = new Map(records.map((record) => [record, record]))
  for (const [index, relation] of hops.entries()) {
    const rows = await readHop(relation, hops[index + 1], [...new Set(reached.values())], context)
    reached = new Map(
      [...reached].flatMap(([record, parent]): [Row, Row][] => {
        const row = rows.get(parent)
        return row ? [[record, row]] : []
      }),
    )
  }
  return new Set(reached.keys())
}

/** Reads the related row of each parent, with the foreign key of the next hop. */
async function readHop(
  relation: Relation,
  next: Relation | undefined,
  parents: readonly Row[],
  context: Context,
): Promise<ReadonlyMap<Row, Row | undefined>> {
  const query = emptyRelationQuery(keyQuery(relation.target, [], next), false)
  const load = createLoad({ relation, parents, query }, query.base, context)
  if (relation.hasReadAbility) await runBeforeRelationLoad(load)
  if (load.parents.length === 0) return new Map()
  const read = await relation.owner.provider.related(relation, load.parents, load.query, context)
  const pages = await filterPages(read, relation.targets, context)
  return new Map(load.parents.map((parent, index) => [parent, pages[index]?.records[0]]))
}
