import { runInOrder } from '../lib/run-in-order.ts'
import type { Context } from '../model/context.ts'
import type { Relation, Row } from '../model/field.ts'
import type { Edge, Member } from '../model/graph.ts'
import type { RelationLoad } from '../model/plugin.ts'
import { emptyRelationQuery, type Page, type Query, type RelationQuery } from '../model/query.ts'
import { applies } from '../model/restrictions.ts'
import { relationRowLimit, takeIdentifiers, takeResources } from './document-budget.ts'
import { filterPages } from './filter-rows.ts'
import { completeRows, newMembers } from './load.ts'

export type LoadRequest = Omit<RelationLoad, 'query' | 'context'> & {
  readonly query?: RelationQuery
  /** True if the relation has no members, so that nothing needs to be read. */
  readonly isEmpty?: boolean
  /** The pages of the relation, if they are being read already. */
  readonly ahead?: Promise<readonly Page[]> | undefined
}

export function createLoad(request: LoadRequest, base: Query, context: Context): RelationLoad {
  const query = request.query ?? emptyRelationQuery(base, !request.included)
  return { ...request, query, context }
}

/** Runs the `beforeRelationLoad` hooks and removes parents that may not show the relation. */
export function runRelationHooks(load: RelationLoad): Promise<void> | undefined {
  const { relation, parents, context } = load
  removeHidingParents(load)
  const hooks = runInOrder(context.app.hooksFor('beforeRelationLoad', relation.owner), (plugin) =>
    plugin.beforeRelationLoad?.(load),
  )
  return hooks ? hooks.then(() => withholdRemoved(load, parents)) : withholdRemoved(load, parents)
}

/** Removes parents that hide the relation before any hook runs. */
function removeHidingParents(load: RelationLoad): void {
  const { relation, parents, query, context } = load
  if (query.base.visibility?.hides(relation)) load.parents = []
  else if (typeof relation.hidden === 'function') {
    const shown = parents.filter((parent) => !isHiddenFrom(relation, parent, context))
    if (shown.length < parents.length) load.parents = shown
  }
}

/** Whether a record hides the relation. Nothing is hidden from a trusted caller. */
export function isHiddenFrom({ hidden }: Relation, parent: Row, { request, trusted }: Context): boolean {
  return typeof hidden === 'function' && !trusted && applies(hidden, [parent, request], request)
}

/** Withholds the members of parents that were removed. */
function withholdRemoved(load: RelationLoad, parents: readonly Row[]): undefined {
  if (load.parents === parents) return
  const { graph } = load.context
  for (const parent of parents) if (!load.parents.includes(parent)) graph.withhold(parent, load.relation)
}

/** Loads a relation for all its parents. */
export async function loadRelation(request: LoadRequest, base: Query, context: Context): Promise<void> {
  const load = createLoad(request, base, context)
  const { relation, query } = load
  await runRelationHooks(load)
  if (load.parents.length === 0) return
  query.rowLimit = relationRowLimit(load)

  const read = request.isEmpty
    ? load.parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }))
    : await (request.ahead ?? relation.owner.provider.related(relation, load.parents, query, context))
  const isChecked = relation.targets.some(({ checksEachRow }) => checksEachRow)
  const pages = isChecked ? await filterPages(read, relation.targets, context) : read
  const edges = context.graph.edges(relation)
  const needsCompletion = !query.linkage && relation.targets.some(({ provider }) => provider.complete)
  const added: Member[] = []
  const before = context.graph.size
  let identifiers = 0
  for (let index = 0; index < load.parents.length; index++) {
    const page = pages[index] as Page
    const members = membersIn(page, load)
    identifiers += members.length
    if (needsCompletion) added.push(...newMembers(members, page.records))
    edges.set(load.parents[index] as Row, toEdge(members, page, load))
  }
  takeResources(context.graph.size - before, base, context, load)
  if (query.linkage || !load.primary) takeIdentifiers(identifiers, base, context, load)
  if (needsCompletion) await completeRows(added, base, context)
  if (!query.linkage && (load.ofPrimary || load.primary)) setPivots(load)
}

function membersIn({ records, types }: Page, { relation, query, primary, context: { graph } }: RelationLoad): Member[] {
  const { target } = relation
  if (query.linkage) return records.map((row, index) => graph.identifier(types?.[index] ?? target, row))
  if (primary && !types) return graph.addCollection(target, records)
  return records.map((row, index) => graph.member(types?.[index] ?? target, row))
}

/** Members of a related collection, and members included at the first level, are shown with their pivot values. */
function setPivots({ relation, parents, context: { graph } }: RelationLoad): void {
  if (relation.pivotFields.length === 0) return
  for (const parent of parents) {
    const { members = [], rows = [] } = graph.get(parent, relation) ?? {}
    rows.forEach((row, index) => {
      graph.setPivot((members[index] as Member).record, relation, row)
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
