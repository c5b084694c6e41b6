import type { Awaitable } from '../lib/awaitable.ts'
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
  const type =
    typeof query.include !== 'function' && query.include.length + query.counts.size === 0 && onlyType(primary)
  const plan = type && typePlanOf(type, query, context.server, true)
  if (!plan || plan.chains.length + plan.linked.length > 0) return loadAll(primary, query, context, areUnrelated)
  takeIdentifiers(countForeignKeys(primary, type, plan, context), query, context)
}

/** The type of all members. Null if there are several or none. */
function onlyType(members: readonly Member[]): ResourceType | null {
  const type = members[0]?.type ?? null
  for (const member of members) if (member.type !== type) return null
  return type
}

async function loadAll(
  primary: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> {
  await hideChained(primary, query, context, true)
  await loadIncludes({ members: primary, include: query.include, path: '' }, query, context)
  await countRelations(primary, query, context)
  await loadLinkage(primary, query, context, { ofPrimary: true, areUnrelated })
  const included = context.graph.included(primary)
  await hideChained(included, query, context, false)
  await loadLinkage(included, query, context, { ofPrimary: false, areUnrelated: false })
  takeForeignKeys(primary, query, context)
  takeForeignKeys(included, query, context)
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
  if (members.length === 0) return
  const { graph } = context
  const nextLevels: IncludeLevel[] = []
  for (const { relation, children, parents: selected } of typeof include === 'function' ? include(members) : include) {
    const reached = new Set<Member>()
    const parents: Row[] = []
    for (const { type, record } of members) {
      if (type !== relation.owner || selected?.has(record) === false) continue
      const edge = graph.get(record, relation)
      if (edge?.included) for (const member of edge.members) reached.add(member)
      else parents.push(record)
    }
    const relationPath = path ? `${path}.${relation.name}` : relation.name
    if (parents.length > 0) {
      const load = { relation, parents, path: relationPath, included: true, ofPrimary: path === '' }
      await loadRelation(load, query, context)
      for (const parent of parents) for (const member of graph.get(parent, relation)?.members ?? []) reached.add(member)
      graph.include(reached)
    }
    nextLevels.push({ members: [...reached], include: children, path: relationPath })
  }
  for (const level of nextLevels) await loadIncludes(level, query, context)
}

/** Counts the relations of `query.counts`, with one statement per relation. */
async function countRelations(members: readonly Member[], query: Query, context: Context): Promise<void> {
  for (const relation of query.counts) {
    const { relations, whenIncluded } = shownFields(relation.owner, query)
    const isIncluded = whenIncluded.includes(relation) && context.graph.loaded(relation) !== undefined
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
async function loadLinkage(
  members: readonly Member[],
  query: Query,
  context: Context,
  { ofPrimary, areUnrelated }: { readonly ofPrimary: boolean; readonly areUnrelated: boolean },
): Promise<void> {
  for (const type of typesOf(members)) {
    for (const { relation, holdsKey } of typePlanOf(type, query, context.server, ofPrimary).linked) {
      const edges = context.graph.loaded(relation)?.edges
      const parents = recordsOf(members, type).filter((record) => !edges?.has(record))
      const isEmpty = areUnrelated && isUnrelatedAtFirst(relation)
      const options = { relation, parents, ofPrimary, isEmpty }
      if (holdsKey) await runRelationHooks(createLoad(options, query, context))
      else await loadRelation(options, query, context)
    }
  }
}

/** Subtracts identifiers that are rendered from foreign keys in the records from the document budget. */
function takeForeignKeys(members: readonly Member[], query: Query, context: Context): void {
  let count = 0
  for (const type of typesOf(members)) {
    count += countForeignKeys(members, type, typePlanOf(type, query, context.server, false), context)
  }
  takeIdentifiers(count, query, context)
}

function countForeignKeys(
  members: readonly Member[],
  type: ResourceType,
  { foreignKeys }: TypePlan,
  { graph }: Context,
): number {
  let count = 0
  for (const { relation, key } of foreignKeys) {
    const { edges, withheld } = graph.loaded(relation) ?? {}
    for (const member of members) {
      if (member.type !== type || member.record[key] == null) continue
      if (!edges?.has(member.record) && !withheld?.has(member.record)) count++
    }
  }
  return count
}
