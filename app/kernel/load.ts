import type { Context } from './context.ts'
import { isUnrelatedAtFirst, type Rec } from './fields/definition.ts'
import type { Edge, Member } from './graph.ts'
import type { RelationLoad } from './plugin.ts'
import type { ReadOptions } from './provider.ts'
import type { Include, Page, Query, RelationQuery } from './query.ts'
import type { ResourceType } from './resource.ts'
import { readsRecord, shownFields } from './selection.ts'
import { servesTarget } from './server.ts'

// Reading into the graph. The number of statements depends on the query, never on the number of rows.

export async function loadOne(
  type: ResourceType,
  key: unknown,
  query: Query,
  context: Context,
  options?: ReadOptions,
): Promise<Rec | null> {
  const row = key === undefined ? null : await type.provider.one(type, key, query, context, options)
  if (!row) return null
  const member = context.graph.member(type, row)
  if (type.provider.complete && member.record === row) await complete([member], query, context)
  return member.record
}

/** The rows of all these keys, in their order; null where there is none. */
export async function loadMany(
  type: ResourceType,
  keys: readonly unknown[],
  query: Query,
  context: Context,
  options?: ReadOptions,
): Promise<(Rec | null)[]> {
  const rows = await type.provider.many(type, keys, query, context, options)
  const fresh: Member[] = []
  const members = adopt(rows, type, context, fresh)
  await complete(fresh, query, context)
  const byKey = new Map(members.map(({ record }) => [String(record[type.id.property]), record]))
  return keys.map((key) => byKey.get(String(key)) ?? null)
}

export async function loadCollection(
  type: ResourceType,
  query: Query,
  context: Context,
): Promise<{ page: Page; members: readonly Member[] }> {
  const page = await type.provider.collection(type, query, context)
  const fresh: Member[] = []
  const members = adopt(page.records, type, context, fresh)
  if (type.provider.complete) await complete(fresh, query, context)
  return { page, members }
}

/** Loads the relations the document will show: the include tree, then linkage that is rendered on every response. */
export async function loadRelations(
  members: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated = false,
): Promise<void> {
  if (members.length > 0 && leadsOn(query.include)) await loadIncludes(members, query.include, query, context, '')
  if (query.counts.size > 0) await countRelations(members, query, context)
  await loadLinkage(members, true, query, context, areUnrelated)
  const included = context.graph.included(members)
  if (included.length > 0) await loadLinkage(included, false, query, context)
}

async function loadLinkage(
  members: readonly Member[],
  ofPrimary: boolean,
  query: Query,
  context: Context,
  areUnrelated = false,
): Promise<void> {
  for (const type of typesOf(members)) {
    for (const relation of shownFields(type, query.fields).named) {
      const hasKey = relation.kind === 'belongsTo' && !readsRecord(relation.target) // it is in the record
      const isAsked = ofPrimary && query.related.has(relation)
      if (hasKey && !relation.guarded && !isAsked) continue
      if (!servesTarget(context.server, relation)) continue
      const parents = recordsOf(members, type).filter((record) => !context.graph.get(record, relation))
      const areAlone = areUnrelated && isUnrelatedAtFirst(relation)
      const load = { relation, parents, path: relation.name, included: false, ofPrimary, areAlone }
      if (hasKey && !isAsked) await askRelation(createLoad(load, query, context))
      else await loadRelation(load, query, context)
    }
  }
}

/** The sizes that were asked for, as the URL of each relation would tell them: one statement per relation. */
async function countRelations(members: readonly Member[], query: Query, context: Context): Promise<void> {
  const window = { limit: 0, offset: 0, probe: false }
  for (const relation of query.counts) {
    if (!shownFields(relation.owner, query.fields).relations.includes(relation)) continue
    const parents = recordsOf(members, relation.owner)
    const counting = { where: [], sort: [], paginator: null, window, count: true, base: query, linkage: true }
    const request = { relation, parents, path: relation.name, included: false, ofPrimary: true, query: counting }
    const load = createLoad(request, query, context)
    await askRelation(load)
    if (load.parents.length === 0) continue
    const pages = await relation.owner.provider.related(relation, load.parents, load.query, context)
    load.parents.forEach((parent, index) => {
      context.graph.setTotal(parent, relation, pages[index]?.total ?? 0)
    })
  }
}

/**
 * Level by level: what the primary data lead to is loaded before a longer path comes to the same records, and no relation
 * of a record twice. Its members are then those of its first path, so that everything included is linked to.
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
    const parents: Rec[] = []
    const known = context.graph.known(relation)?.edges
    for (const { type, record } of members) {
      if (type !== relation.owner || node.parents?.has(record) === false) continue
      const edge = known?.get(record)
      if (edge?.included) for (const member of edge.members) reached.add(member)
      else parents.push(record)
    }
    const nodePath = path ? `${path}.${relation.name}` : relation.name
    if (parents.length > 0) {
      const load = { relation, parents, path: nodePath, included: true, ofPrimary: path === '' }
      for (const member of await loadRelation(load, query, context)) reached.add(member)
    }
    if (reached.size > 0 && leadsOn(children)) levels.push({ members: [...reached], include: children, path: nodePath })
  }
  for (const level of levels) await loadIncludes(level.members, level.include, query, context, level.path)
}

type LoadRequest = Omit<RelationLoad, 'query' | 'context'> & {
  readonly query?: RelationQuery
  /** The relation is known to lead nowhere. */
  readonly areAlone?: boolean
}

function createLoad(request: LoadRequest, base: Query, context: Context): RelationLoad {
  const linkage = !request.included
  const query = request.query ?? { where: [], sort: [], paginator: null, window: null, count: false, base, linkage }
  return { ...request, query, context }
}

/** A parent that is left out shows nothing of the relation. */
async function askRelation(load: RelationLoad): Promise<void> {
  const { relation, parents, context } = load
  for (const plugin of context.app.joining('onRelation', relation.owner)) await plugin.onRelation?.(load)
  if (load.parents === parents) return
  for (const parent of parents) if (!load.parents.includes(parent)) context.graph.withhold(parent, relation)
}

/** Loads a relation of many parents at once and returns the distinct members it leads to. */
export async function loadRelation(request: LoadRequest, base: Query, context: Context): Promise<Iterable<Member>> {
  const load = createLoad(request, base, context)
  const { relation, query } = load
  await askRelation(load)
  if (load.parents.length === 0) return []

  const { graph } = context
  const pages = request.areAlone
    ? load.parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }))
    : await relation.owner.provider.related(relation, load.parents, query, context)
  const reached = new Set<Member>()
  const fresh: Member[] = []
  const edges = graph.edges(relation)
  load.parents.forEach((parent, index) => {
    const page = pages[index] as Page
    const members = adopt(page.records, relation.target, context, fresh, page.types)
    for (const member of members) reached.add(member)
    edges.set(parent, toEdge(members, page, load))
  })
  if (!query.linkage) await complete(fresh, base, context)
  if (!query.linkage && (load.ofPrimary || load.primary)) notePivots(load)
  if (request.included) graph.include(reached)
  return reached
}

/** Members of a related collection, or included at the first level, show the association row they were read from. */
function notePivots({ relation, parents, context: { graph } }: RelationLoad): void {
  if (relation.pivotFields.length === 0) return
  for (const parent of parents) {
    const { members = [], rows = [] } = graph.get(parent, relation) ?? {}
    rows.forEach((row, index) => {
      graph.notePivot((members[index] as Member).record, relation, row)
    })
  }
}

function toEdge(members: readonly Member[], page: Page, { relation, included, query }: RelationLoad): Edge {
  const { window, paginator, search = '' } = query
  const isPaged = window !== null && paginator !== null
  if (!isPaged && relation.pivotFields.length === 0) return { members, included }
  return {
    members,
    included,
    ...(relation.pivotFields.length > 0 && { rows: page.records }),
    ...(isPaged && { page: { page, window, paginator, search } }),
  }
}

/** The members that rows stand for; those that were not seen before are noted. */
function adopt(
  rows: readonly Rec[],
  type: ResourceType,
  { graph }: Context,
  fresh: Member[],
  types?: readonly ResourceType[],
): Member[] {
  return rows.map((row, index) => {
    const member = graph.member(types?.[index] ?? type, row)
    if (member.record === row) fresh.push(member)
    return member
  })
}

/** What their rows lack is filled in, for all of a type at once. */
async function complete(fresh: readonly Member[], query: Query, context: Context): Promise<void> {
  for (const type of typesOf(fresh)) await type.provider.complete?.(type, recordsOf(fresh, type), query, context)
}

function leadsOn(include: Include): boolean {
  return typeof include === 'function' || include.length > 0
}

/** Several only where something polymorphic led to them. */
function typesOf(members: readonly Member[]): readonly ResourceType[] {
  const types: ResourceType[] = []
  for (const { type } of members) if (type !== types.at(-1) && !types.includes(type)) types.push(type)
  return types
}

function recordsOf(members: readonly Member[], type: ResourceType): Rec[] {
  const records: Rec[] = []
  for (const member of members) if (member.type === type) records.push(member.record)
  return records
}
