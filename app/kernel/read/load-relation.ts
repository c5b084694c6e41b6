import { runInOrder } from '../lib/run-in-order.ts'
import type { Context } from '../model/context.ts'
import type { Relation, Row } from '../model/field.ts'
import type { Edge, Member } from '../model/graph.ts'
import type { RelationLoad } from '../model/plugin.ts'
import type { Page, Query, RelationQuery } from '../model/query.ts'
import { applies } from '../model/restrictions.ts'
import { relationRowLimit, takeIdentifiers, takeResources } from './document-budget.ts'
import { filterPages } from './filter-rows.ts'
import { complete, freshOf } from './load.ts'

export type LoadRequest = Omit<RelationLoad, 'query' | 'context'> & {
  readonly query?: RelationQuery
  /** The relation is known to lead nowhere. */
  readonly areAlone?: boolean
  /** What it leads to, where that has been asked for already. */
  readonly ahead?: Promise<readonly Page[]> | undefined
}

export function createLoad(request: LoadRequest, base: Query, context: Context): RelationLoad {
  const linkage = !request.included
  const query = request.query ?? { where: [], sort: [], paginator: null, window: null, count: false, base, linkage }
  return { ...request, query, context }
}

/** Undefined when nobody makes it wait. */
export function askRelation(load: RelationLoad): Promise<void> | undefined {
  const { relation, parents, context } = load
  leaveOutHidden(load)
  const asking = runInOrder(context.app.hooksFor('beforeRelationLoad', relation.owner), (plugin) =>
    plugin.beforeRelationLoad?.(load),
  )
  return asking ? asking.then(() => withholdOthers(load, parents)) : withholdOthers(load, parents)
}

/** Parents that hide the relation show nothing of it, whatever plugins say. */
function leaveOutHidden(load: RelationLoad): void {
  const { relation, parents, query, context } = load
  if (query.base.visibility?.hides(relation)) load.parents = []
  else if (typeof relation.hidden === 'function') {
    const shown = parents.filter((parent) => !isHiddenFrom(relation, parent, context))
    if (shown.length < parents.length) load.parents = shown
  }
}

/** Whether a record hides one of its relations; from a trusted program nothing is hidden. */
export function isHiddenFrom({ hidden }: Relation, parent: Row, { request, trusted }: Context): boolean {
  return typeof hidden === 'function' && !trusted && applies(hidden, [parent, request], request)
}

/** A parent that is left out shows nothing of the relation. */
function withholdOthers(load: RelationLoad, parents: readonly Row[]): undefined {
  if (load.parents === parents) return
  const { graph } = load.context
  for (const parent of parents) if (!load.parents.includes(parent)) graph.withhold(parent, load.relation)
}

/** Loads a relation of many parents at once. */
export async function loadRelation(request: LoadRequest, base: Query, context: Context): Promise<void> {
  const load = createLoad(request, base, context)
  const { relation, query } = load
  const asking = askRelation(load)
  if (asking) await asking
  if (load.parents.length === 0) return
  query.rowLimit = relationRowLimit(load)

  const read = request.areAlone
    ? load.parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }))
    : await (request.ahead ?? relation.owner.provider.related(relation, load.parents, query, context))
  const isChecked = relation.targets.some(({ checksEachRow }) => checksEachRow)
  const pages = isChecked ? await filterPages(read, relation.targets, context) : read
  const edges = context.graph.edges(relation)
  const isLacking = !query.linkage && relation.targets.some(({ provider }) => provider.complete)
  const fresh: Member[] = []
  const before = context.graph.size
  let identifiers = 0
  for (let index = 0; index < load.parents.length; index++) {
    const page = pages[index] as Page
    const members = membersIn(page, load)
    identifiers += members.length
    if (isLacking) fresh.push(...freshOf(members, page.records))
    edges.set(load.parents[index] as Row, toEdge(members, page, load))
  }
  takeResources(context.graph.size - before, base, context, load)
  if (query.linkage || !load.primary) takeIdentifiers(identifiers, base, context, load)
  if (isLacking) await complete(fresh, base, context)
  if (!query.linkage && (load.ofPrimary || load.primary)) notePivots(load)
}

function membersIn({ records, types }: Page, { relation, query, primary, context: { graph } }: RelationLoad): Member[] {
  const { target } = relation
  if (query.linkage) return records.map((row, index) => graph.named(types?.[index] ?? target, row))
  if (primary && !types) return graph.present(target, records)
  return records.map((row, index) => graph.member(types?.[index] ?? target, row))
}

/** Members of a related collection, or included at the first level, show the association row they were read from. */
function notePivots({ relation, parents, context: { graph } }: RelationLoad): void {
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
