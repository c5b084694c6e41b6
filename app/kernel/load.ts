import type { Context } from './context.ts'
import { isPolymorphic, isUnrelatedAtFirst, type Rec, type Relation } from './fields/definition.ts'
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
  const record = key === undefined ? null : await type.provider.one(type, key, query, context, options)
  return record && ((await adopt(type, [record], query, context))[0] as Rec)
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
  const records = await adopt(type, rows, query, context)
  const byKey = new Map(records.map((record) => [String(record[type.id.property]), record]))
  return keys.map((key) => byKey.get(String(key)) ?? null)
}

export async function loadCollection(type: ResourceType, query: Query, context: Context): Promise<Page> {
  const page = await type.provider.collection(type, query, context)
  return { ...page, records: await adopt(type, page.records, query, context) }
}

/** Loads the relations the document will show: the include tree, then linkage that is rendered on every response. */
export async function loadRelations(
  members: readonly Member[],
  query: Query,
  context: Context,
  areUnrelated = false,
): Promise<void> {
  await loadIncludes(members, query.include, query, context, '')
  await countRelations(members, query, context)
  await loadLinkage(members, true, query, context, areUnrelated)
  await loadLinkage(context.graph.included(members), false, query, context)
}

async function loadLinkage(
  members: readonly Member[],
  ofPrimary: boolean,
  query: Query,
  context: Context,
  areUnrelated = false,
): Promise<void> {
  for (const [type, records] of groupByType(members)) {
    for (const relation of shownFields(type, query.fields).relations) {
      if (relation.linkage !== 'always' || !servesTarget(context.server, relation)) continue
      const hasKey = relation.kind === 'belongsTo' && !readsRecord(relation.target) // it is in the record
      const isAsked = ofPrimary && query.related.has(relation)
      if (hasKey && !relation.guarded && !isAsked) continue
      const parents = records.filter((record) => !context.graph.get(record, relation))
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
    const parents = members.filter(({ type }) => type === relation.owner).map(({ record }) => record)
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
  if (members.length === 0) return
  const levels: { members: readonly Member[]; include: Include; path: string }[] = []
  for (const node of typeof include === 'function' ? include(members) : include) {
    const { relation } = node
    const parents = members
      .filter(({ type, record }) => type === relation.owner && (node.parents?.has(record) ?? true))
      .map((member) => member.record)
    const nodePath = path ? `${path}.${relation.name}` : relation.name
    const known = parents.flatMap((parent) => includedEdge(parent, relation, context)?.members ?? [])
    const fresh = parents.filter((parent) => !includedEdge(parent, relation, context))
    const load = { relation, parents: fresh, path: nodePath, included: true, ofPrimary: path === '' }
    const reached = fresh.length > 0 ? await loadRelation(load, query, context) : []
    levels.push({ members: distinct([...known, ...reached]), include: node.children, path: nodePath })
  }
  for (const level of levels) await loadIncludes(level.members, level.include, query, context, level.path)
}

function includedEdge(record: Rec, relation: Relation, { graph }: Context): Edge | undefined {
  const edge = graph.get(record, relation)
  return edge?.included ? edge : undefined
}

function distinct(members: readonly Member[]): Member[] {
  return [...new Map(members.map((member) => [member.record, member])).values()]
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
  for (const plugin of context.app.with('onRelation')) await plugin.onRelation?.(load)
  if (load.parents === parents) return
  for (const parent of parents) if (!load.parents.includes(parent)) context.graph.withhold(parent, relation)
}

/** Loads a relation of many parents at once and returns the distinct members it leads to. */
export async function loadRelation(request: LoadRequest, base: Query, context: Context): Promise<readonly Member[]> {
  const load = createLoad(request, base, context)
  const { relation, query } = load
  await askRelation(load)
  if (load.parents.length === 0) return []

  const pages = request.areAlone
    ? load.parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }))
    : await relation.owner.provider.related(relation, load.parents, query, context)
  const reached = new Map<Rec, Member>()
  for (const [type, rows] of rowsByType(pages, relation)) {
    const records = await adopt(type, rows, base, context, query.linkage)
    for (const record of records) reached.set(record, { type, record })
  }
  load.parents.forEach((parent, index) => {
    const edge = toEdge(pages[index] as Page, reached, query, relation, context)
    context.graph.set(parent, relation, request.included ? { ...edge, included: true } : edge)
  })
  if (!query.linkage && (load.ofPrimary || load.primary)) notePivots(load)
  const members = [...reached.values()]
  if (request.included) context.graph.include(members)
  return members
}

/** Members of a related collection, or included at the first level, show the association row they were read from. */
function notePivots({ relation, parents, context: { graph } }: RelationLoad): void {
  for (const parent of parents) {
    const { members = [], rows = [] } = graph.get(parent, relation) ?? {}
    rows.forEach((row, index) => {
      graph.notePivot((members[index] as Member).record, relation, row)
    })
  }
}

function toEdge(
  page: Page,
  reached: Map<Rec, Member>,
  query: RelationQuery,
  relation: Relation,
  context: Context,
): Edge {
  const members = page.records.map((row, index) => {
    const type = page.types?.[index] ?? relation.target
    return reached.get(context.graph.intern(type, row)) as Member
  })
  const { window, paginator, search = '' } = query
  return {
    members,
    ...(relation.pivotFields.length > 0 && { rows: page.records }),
    ...(window && paginator && { page: { page, window, paginator, search } }),
  }
}

/** All rows of a load; only a polymorphic relation has more than one type. */
function rowsByType(pages: readonly Page[], relation: Relation): Map<ResourceType, Rec[]> {
  if (!isPolymorphic(relation)) return new Map([[relation.target, pages.flatMap((page) => page.records)]])
  const mixed = pages.flatMap(({ records, types = [] }) =>
    records.map((record, index) => ({ record, type: types[index] as ResourceType })),
  )
  return groupByType(mixed)
}

/** Puts rows into the graph; rows seen for the first time are completed together, unless they only identify. */
async function adopt(
  type: ResourceType,
  rows: readonly Rec[],
  query: Query,
  context: Context,
  linkage = false,
): Promise<Rec[]> {
  const fresh: Rec[] = []
  const records = rows.map((row) => {
    const record = context.graph.intern(type, row)
    if (record === row) fresh.push(row)
    return record
  })
  if (fresh.length > 0 && !linkage) await type.provider.complete?.(type, fresh, query, context)
  return records
}

function groupByType(members: readonly Member[]): Map<ResourceType, Rec[]> {
  const groups = new Map<ResourceType, Rec[]>()
  for (const { type, record } of members) {
    const group = groups.get(type)
    if (group) group.push(record)
    else groups.set(type, [record])
  }
  return groups
}
