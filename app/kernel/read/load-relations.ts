import type { Context } from '../model/context.ts'
import { isUnrelatedAtFirst, type Relation, type Row } from '../model/field.ts'
import type { Member } from '../model/graph.ts'
import { emptyRelationQuery, type Include, type Query } from '../model/query.ts'
import { isKeyLinkage, linkKey } from '../model/selection.ts'
import { servesTarget } from '../model/server.ts'
import { shownFields } from '../model/shown-fields.ts'
import { takeIdentifiers } from './document-budget.ts'
import { recordsOf, typesOf } from './load.ts'
import { hideChained } from './load-chained.ts'
import { createLoad, type LoadRequest, loadRelation, runRelationHooks } from './load-relation.ts'

/**
 * Loads the relations that the document shows: the include tree, then linkage that is part of every response. Chained
 * attributes of hidden rows are set to null first. Returns undefined if there is nothing to load.
 */
export function loadRelations(
  members: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated = false,
): Promise<void> | undefined {
  const hiding = hideChained(members, query, context)
  if (hiding) return hiding.then(() => loadShown(members, query, context, areUnrelated))
  return loadShown(members, query, context, areUnrelated)
}

function loadShown(
  members: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> | undefined {
  const hasTree = query.counts.size > 0 || (members.length > 0 && hasNodes(query.include))
  if (hasTree) return loadTree(members, query, context, areUnrelated)
  const loading = loadLinkage(members, true, query, context, areUnrelated)
  const countKeys = () => takeKeys(members, query, context)
  return loading ? loading.then(countKeys) : countKeys()
}

async function loadTree(
  members: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> {
  if (members.length > 0 && hasNodes(query.include)) await loadIncludes(members, query.include, query, context, '')
  if (query.counts.size > 0) await countRelations(members, query, context)
  await loadLinkage(members, true, query, context, areUnrelated)
  const included = context.graph.included(members)
  await hideChained(included, query, context)
  await loadLinkage(included, false, query, context, false)
  takeKeys(members, query, context)
  takeKeys(included, query, context)
}

/** Subtracts identifiers that are rendered from foreign keys in the records from the document budget. */
function takeKeys(members: readonly Member[], query: Query, context: Context): undefined {
  let count = 0
  for (const type of typesOf(members)) {
    for (const relation of shownFields(type, query).relations) {
      if (relation.kind !== 'belongsTo' || !servesTarget(context.server, relation)) continue
      count += countKeys(members, relation, context)
    }
  }
  if (count > 0) takeIdentifiers(count, query, context)
}

function countKeys(members: readonly Member[], relation: Relation, { graph }: Context): number {
  const { edges, withheld } = graph.loaded(relation) ?? {}
  const key = linkKey(relation)
  let count = 0
  for (const { type, record } of members) {
    if (type !== relation.owner || record[key] == null) continue
    if (!edges?.has(record) && !withheld?.has(record)) count++
  }
  return count
}

/** Undefined if no relation needs to be loaded. */
function loadLinkage(
  members: readonly Member[],
  ofPrimary: boolean,
  query: Query,
  context: Context,
  areUnrelated: boolean,
): Promise<void> | undefined {
  const loads: LinkageLoad[] = []
  for (const type of typesOf(members)) {
    for (const relation of shownFields(type, query).alwaysLinked) {
      const hasKey = isKeyLinkage(relation)
      const isQueried = ofPrimary && query.related.has(relation)
      if (hasKey && !relation.guarded && !isQueried) continue
      if (!servesTarget(context.server, relation)) continue
      const edges = context.graph.loaded(relation)?.edges
      const records = recordsOf(members, type)
      const parents = edges ? records.filter((record) => !edges.has(record)) : records
      const isEmpty = areUnrelated && isUnrelatedAtFirst(relation)
      const hasForeignKey = hasKey && !isQueried
      loads.push({ relation, parents, path: relation.name, included: false, ofPrimary, isEmpty, hasForeignKey })
    }
  }
  return loads.length > 0 ? loadEach(loads, query, context) : undefined
}

interface LinkageLoad extends LoadRequest {
  /** True if the record holds the key: only the hooks run, nothing is read. */
  readonly hasForeignKey: boolean
}

async function loadEach(loads: readonly LinkageLoad[], query: Query, context: Context): Promise<void> {
  for (const load of loads) {
    if (load.hasForeignKey) await runRelationHooks(createLoad(load, query, context))
    else await loadRelation(load, query, context)
  }
}

/** Counts the relations of `query.counts`, with one statement per relation. */
async function countRelations(members: readonly Member[], query: Query, context: Context): Promise<void> {
  const window = { limit: 0, offset: 0, probe: false }
  for (const relation of query.counts) {
    if (!shownFields(relation.owner, query).relations.includes(relation)) continue
    const parents = recordsOf(members, relation.owner)
    const counting = emptyRelationQuery(query, true, { window, count: true })
    const request = { relation, parents, path: relation.name, included: false, ofPrimary: true, query: counting }
    const load = createLoad(request, query, context)
    await runRelationHooks(load)
    if (load.parents.length === 0) continue
    const pages = await relation.owner.provider.related(relation, load.parents, load.query, context)
    load.parents.forEach((parent, index) => {
      context.graph.setTotal(parent, relation, pages[index]?.total ?? 0)
    })
  }
}

/**
 * Loads the include tree level by level, and each relation of a record once. The members of a record are those of its
 * shortest path, so that every included resource is linked from the document (full linkage).
 */
async function loadIncludes(
  members: readonly Member[],
  include: Include,
  query: Query,
  context: Context,
  path: string,
): Promise<void> {
  const levels: { members: readonly Member[]; include: Include; path: string }[] = []
  for (const node of typeof include === 'function' ? include(members) : include) {
    const { relation, children } = node
    const reached = new Set<Member>()
    const parents: Row[] = []
    const edges = context.graph.loaded(relation)?.edges
    for (const { type, record } of members) {
      if (type !== relation.owner || node.parents?.has(record) === false) continue
      const edge = edges?.get(record)
      if (edge?.included) for (const member of edge.members) reached.add(member)
      else parents.push(record)
    }
    const nodePath = path ? `${path}.${relation.name}` : relation.name
    if (parents.length > 0) {
      const load = { relation, parents, path: nodePath, included: true, ofPrimary: path === '' }
      await loadRelation(load, query, context)
      for (const parent of parents) {
        for (const member of context.graph.get(parent, relation)?.members ?? []) reached.add(member)
      }
      context.graph.include(reached)
    }
    if (reached.size > 0 && hasNodes(children))
      levels.push({ members: [...reached], include: children, path: nodePath })
  }
  for (const level of levels) await loadIncludes(level.members, level.include, query, context, level.path)
}

function hasNodes(include: Include): boolean {
  return typeof include === 'function' || include.length > 0
}
