import { runInOrder } from '../lib/run-in-order.ts'
import type { Context } from '../model/context.ts'
import type { Attribute, Relation, Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import { createQuery, emptyRelationQuery, type Query, type RelationQuery } from '../model/query.ts'
import { chainKey, checkedHops } from '../model/selection.ts'
import { shownFields } from '../model/shown-fields.ts'
import { filterPages } from './filter-rows.ts'
import { recordsOf, typesOf } from './load.ts'

/**
 * Sets chained attributes (`on()`) to null if the requester may not see a row on the chain: a plugin hides it
 * (`filterRows`), or the relation has a read ability. Scopes are part of the statement that reads the attribute. Reads one
 * statement per relation of the chain. Returns undefined if there is nothing to check.
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
  for (const samePath of Map.groupBy(chains, pathOf).values()) {
    const [{ hops, records }] = samePath as [Chain]
    const shown = await recordsWithHops(hops, records, context)
    for (const { attribute } of samePath) {
      for (const record of records) if (!shown.has(record)) record[chainKey(attribute)] = null
    }
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
  return emptyRelationQuery(base, false)
}
