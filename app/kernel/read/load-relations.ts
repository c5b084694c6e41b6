import type { Context } from '../data/context.ts'
import type { Member } from '../data/graph.ts'
import type { Include, Query } from '../data/query.ts'
import { shownFields } from '../data/shown-fields.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { isEmptyAfterCreate, type Row } from '../schema/field.ts'
import { takeIdentifiers } from './document-budget.ts'
import { countQuery } from './key-query.ts'
import { listRecords } from './load.ts'
import { hideChained } from './load-chained.ts'
import { createLoad, loadRelation, runRelationHooks } from './load-relation.ts'
import { groupByType, type TypeRows } from './type-rows.ts'

/**
 * Loads the relations that the document shows: the include tree, totals, then linkage that is part of every response.
 * Chained attributes of hidden rows are set to null. `areUnrelated`: the primary data are new, no row refers to them.
 */
export function loadRelations(
  primary: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated = false,
): Awaitable<void> {
  if (primary.length === 0) return
  const { include, counts } = query
  const shown = groupByType(primary, query, context.server, true)
  let isInRows = typeof include !== 'function' && include.length + counts.size === 0
  for (const { plan } of shown) isInRows &&= plan.isInRow
  if (!isInRows) return loadAll(primary, shown, query, context, areUnrelated)
  takeForeignKeys(shown, query, context)
}

async function loadAll(
  primary: readonly Member[],
  shown: readonly TypeRows[],
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> {
  const { include, counts } = query
  for (const rows of shown) if (rows.plan.chains.length > 0) await hideChained(rows, context)
  if (typeof include === 'function' || include.length > 0) {
    await loadIncludes({ members: primary, include, path: '' }, query, context)
  }
  if (counts.size > 0) await countRelations(primary, query, context)
  for (const rows of shown) {
    if (rows.plan.linked.length > 0) await loadLinkage(rows, query, context, { ofPrimary: true, areUnrelated })
  }
  const included = groupByType(context.graph.included(primary), query, context.server, false)
  for (const rows of included) if (rows.plan.chains.length > 0) await hideChained(rows, context)
  for (const rows of included) {
    const options = { ofPrimary: false, areUnrelated: false }
    if (rows.plan.linked.length > 0) await loadLinkage(rows, query, context, options)
  }
  takeForeignKeys([...shown, ...included], query, context)
}

interface IncludeLevel {
  readonly members: readonly Member[]
  readonly include: Include
  readonly path: string
}

/**
 * Loads the include tree level by level, and each relation of a record once. The members of a record are those of its
 * shortest path, so that every included resource is linked from the document (full linkage).
 */
async function loadIncludes({ members, include, path }: IncludeLevel, query: Query, context: Context): Promise<void> {
  const { graph } = context
  const nextLevels: IncludeLevel[] = []
  for (const { relation, children, parents: selected } of typeof include === 'function' ? include(members) : include) {
    const reached = new Set<Member>()
    const parents: Row[] = []
    const edges = graph.edges(relation)
    for (const { type, record } of members) {
      if (type !== relation.owner || selected?.has(record) === false) continue
      const edge = edges.get(record)
      if (edge?.included) for (const member of edge.members) reached.add(member)
      else parents.push(record)
    }
    const relationPath = path ? `${path}.${relation.name}` : relation.name
    if (parents.length > 0) {
      const load = { relation, parents, path: relationPath, included: true, ofPrimary: path === '' }
      await loadRelation(load, query, context)
      for (const parent of parents) for (const member of edges.get(parent)?.members ?? []) reached.add(member)
      graph.include(reached)
    }
    const goesOn = reached.size > 0 && (typeof children === 'function' || children.length > 0)
    if (goesOn) nextLevels.push({ members: [...reached], include: children, path: relationPath })
  }
  for (const level of nextLevels) await loadIncludes(level, query, context)
}

/** Counts the relations of `query.counts`, with one statement per relation. */
async function countRelations(members: readonly Member[], query: Query, context: Context): Promise<void> {
  for (const relation of query.counts) {
    const { relations, whenIncluded } = shownFields(relation.owner, query)
    const isIncluded = whenIncluded.includes(relation) && context.graph.relations?.has(relation) === true
    if (!isIncluded && !relations.includes(relation)) continue
    const parents = listRecords(members, relation.owner)
    const load = createLoad({ relation, parents, ofPrimary: true, query: countQuery(query) }, query, context)
    await runRelationHooks(load)
    if (load.parents.length === 0) continue
    const pages = await relation.owner.provider.related(relation, load.parents, load.query, context)
    for (const [index, parent] of load.parents.entries()) {
      context.graph.setTotal(parent, relation, pages[index]?.total ?? 0)
    }
  }
}

/** Loads linkage that is part of every response, unless an include has loaded it or the record holds the key. */
async function loadLinkage(
  { plan, records }: TypeRows,
  query: Query,
  context: Context,
  { ofPrimary, areUnrelated }: { readonly ofPrimary: boolean; readonly areUnrelated: boolean },
): Promise<void> {
  for (const { relation, holdsKey } of plan.linked) {
    const edges = context.graph.relations?.get(relation)?.edges
    const parents = records.filter((record) => !edges?.has(record))
    const isEmpty = areUnrelated && isEmptyAfterCreate(relation)
    const options = { relation, parents, ofPrimary, isEmpty }
    await (holdsKey ? runRelationHooks(createLoad(options, query, context)) : loadRelation(options, query, context))
  }
}

/** Subtracts identifiers that are rendered from foreign keys in the records from the document budget. */
function takeForeignKeys(shown: readonly TypeRows[], query: Query, context: Context): void {
  const { relations } = context.graph
  let count = 0
  for (const { plan, records } of shown) {
    for (const { relation, key } of plan.foreignKeys) {
      const { edges, withheld } = relations?.get(relation) ?? {}
      for (const record of records) {
        if (record[key] != null && !edges?.has(record) && !withheld?.has(record)) count++
      }
    }
  }
  if (count > 0) takeIdentifiers(count, query, context)
}
