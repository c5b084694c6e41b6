import { type Awaitable, callEach } from '../lib/awaitable.ts'
import type { Context } from '../model/context.ts'
import { isUnrelatedAtFirst, type Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import type { Include, Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { shownFields } from '../model/shown-fields.ts'
import { type TypePlan, typePlanOf } from '../plan/type-plan.ts'
import { takeIdentifiers } from './document-budget.ts'
import { countQuery } from './key-query.ts'
import { recordsOf, typesOf } from './load.ts'
import { hideChained } from './load-chained.ts'
import { createLoad, loadRelation, runRelationHooks } from './load-relation.ts'

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
  const [first] = primary
  if (!first) return
  const { include, counts, types } = query
  const readsRelations = typeof include === 'function' || include.length + counts.size > 0
  if (readsRelations || types.length > 1) return loadAll(primary, query, context, areUnrelated)
  const plan = typePlanOf(first.type, query, context.server, true)
  if (plan.chains.length + plan.linked.length > 0) return loadAll(primary, query, context, areUnrelated)
  if (plan.foreignKeys.length > 0) takeIdentifiers(countForeignKeys(primary, first.type, plan, context), query, context)
}

async function loadAll(
  primary: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> {
  const { include, counts } = query
  const hiding = hideChained(primary, query, context, true)
  if (hiding) await hiding
  if (typeof include === 'function' || include.length > 0) {
    await loadIncludes({ members: primary, include, path: '' }, query, context)
  }
  if (counts.size > 0) await countRelations(primary, query, context)
  const linking = loadLinkage(primary, query, context, { ofPrimary: true, areUnrelated })
  if (linking) await linking
  const included = context.graph.included(primary)
  if (included.length > 0) await completeIncluded(included, query, context)
  takeForeignKeys(primary, query, context, true)
  takeForeignKeys(included, query, context, false)
}

/** Loads what resources show besides the columns of their rows, for included resources. */
async function completeIncluded(included: readonly Member[], query: Query, context: Context): Promise<void> {
  const hiding = hideChained(included, query, context, false)
  if (hiding) await hiding
  const linking = loadLinkage(included, query, context, { ofPrimary: false, areUnrelated: false })
  if (linking) await linking
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
    const parents = recordsOf(members, relation.owner)
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
function loadLinkage(
  members: readonly Member[],
  query: Query,
  context: Context,
  { ofPrimary, areUnrelated }: { readonly ofPrimary: boolean; readonly areUnrelated: boolean },
): Awaitable<void> {
  const loads: (() => Awaitable<void>)[] = []
  for (const type of typesOf(members)) {
    for (const { relation, holdsKey } of typePlanOf(type, query, context.server, ofPrimary).linked) {
      loads.push(() => {
        const edges = context.graph.relations?.get(relation)?.edges
        const parents = recordsOf(members, type).filter((record) => !edges?.has(record))
        const isEmpty = areUnrelated && isUnrelatedAtFirst(relation)
        const options = { relation, parents, ofPrimary, isEmpty }
        return holdsKey ? runRelationHooks(createLoad(options, query, context)) : loadRelation(options, query, context)
      })
    }
  }
  if (loads.length > 0) return callEach(loads, (load) => load())
}

/** Subtracts identifiers that are rendered from foreign keys in the records from the document budget. */
function takeForeignKeys(members: readonly Member[], query: Query, context: Context, ofPrimary: boolean): void {
  let count = 0
  for (const type of typesOf(members)) {
    const plan = typePlanOf(type, query, context.server, ofPrimary)
    if (plan.foreignKeys.length > 0) count += countForeignKeys(members, type, plan, context)
  }
  if (count > 0) takeIdentifiers(count, query, context)
}

function countForeignKeys(
  members: readonly Member[],
  type: ResourceType,
  { foreignKeys }: TypePlan,
  { graph }: Context,
): number {
  let count = 0
  for (const { relation, key } of foreignKeys) {
    const { edges, withheld } = graph.relations?.get(relation) ?? {}
    for (const member of members) {
      if (member.type !== type || member.record[key] == null) continue
      if (!edges?.has(member.record) && !withheld?.has(member.record)) count++
    }
  }
  return count
}
