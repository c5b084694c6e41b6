import { runInOrder } from '../lib/run-in-order.ts'
import type { Context } from '../model/context.ts'
import type { Attribute, Relation, Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import { createQuery, type Query, type RelationQuery } from '../model/query.ts'
import { chainKey, checkedHops, shownFields } from '../model/selection.ts'
import { filterPages } from './filter-rows.ts'
import { recordsOf, typesOf } from './load.ts'

/**
 * Sets attributes declared with `on()` to null where the requester may not see a row they are read through: one that a
 * plugin refuses (`filterRows`), or one behind a relation with a read ability of its own. The scope of each row is part of
 * the statement that reads the attribute. One statement per relation on the way; undefined where there is none.
 */
export function hideChained(members: readonly Member[], query: Query, context: Context): Promise<void> | undefined {
  const chains: Chain[] = []
  for (const type of typesOf(members)) {
    for (const attribute of shownFields(type, query).chained) {
      const hops = checkedHops(attribute, type)
      if (hops.length > 0) chains.push({ attribute, hops, records: recordsOf(members, type) })
    }
  }
  return chains.length > 0 ? hideEach(chains, context) : undefined
}

interface Chain {
  readonly attribute: Attribute
  readonly hops: readonly Relation[]
  readonly records: readonly Row[]
}

const pathOf = ({ hops }: Chain) => `${hops[0]?.owner.name} ${hops.map(({ name }) => name).join('.')}`

async function hideEach(chains: readonly Chain[], context: Context): Promise<void> {
  for (const alike of Map.groupBy(chains, pathOf).values()) {
    const [{ hops, records }] = alike as [Chain]
    const shown = await recordsWithHops(hops, records, context)
    for (const { attribute } of alike) {
      for (const record of records) if (!shown.has(record)) record[chainKey(attribute)] = null
    }
  }
}

/** The records from which every hop leads to a row that the requester may see. */
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

/** The row behind each parent, with the key for the next hop. */
async function readHop(
  relation: Relation,
  next: Relation | undefined,
  parents: readonly Row[],
  context: Context,
): Promise<ReadonlyMap<Row, Row | undefined>> {
  const load = {
    relation,
    parents,
    path: relation.name,
    included: false,
    ofPrimary: false,
    context,
    query: hopQuery(relation, next),
  }
  if (relation.guarded)
    await runInOrder(context.app.hooksFor('beforeRelationLoad', relation.owner), (plugin) =>
      plugin.beforeRelationLoad?.(load),
    )
  if (load.parents.length === 0) return new Map()
  const read = await relation.owner.provider.related(relation, load.parents, load.query, context)
  const pages = await filterPages(read, relation.targets, context)
  return new Map(load.parents.map((parent, index) => [parent, pages[index]?.records[0]]))
}

function hopQuery({ target }: Relation, next: Relation | undefined): RelationQuery {
  const base = createQuery({ type: target })
  base.fields = new Map([[target.name, new Set<string>()]])
  if (next) base.include = [{ relation: next, children: [] }]
  return { where: [], sort: [], paginator: null, window: null, count: false, base, linkage: false }
}
