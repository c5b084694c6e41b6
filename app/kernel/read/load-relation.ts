import type { Context } from '../data/context.ts'
import { emptyRelationQuery } from '../data/create-query.ts'
import type { Member } from '../data/graph.ts'
import type { Page, Query, RelationLoad } from '../data/query.ts'
import { type Awaitable, callAll } from '../lib/awaitable.ts'
import type { Relation, Row } from '../schema/field.ts'
import { applies } from '../schema/restrictions.ts'
import { takeIdentifiers, takeResources } from './document-budget.ts'
import { filterPages } from './filter-rows.ts'
import { completeRows, newMembers } from './load.ts'

/** A relation to load; `createLoad` adds the defaults. */
interface LoadOptions extends Partial<Omit<RelationLoad, 'context'>> {
  readonly relation: Relation
  readonly parents: readonly Row[]
  /** True if the relation has no members, so that nothing needs to be read. */
  readonly isEmpty?: boolean
}

export function createLoad(options: LoadOptions, base: Query, context: Context): RelationLoad {
  const { relation, included = false } = options
  const query = options.query ?? emptyRelationQuery(base, !included)
  return { path: relation.name, ofPrimary: false, ...options, included, query, context }
}

/** Runs the stage `beforeRelationLoad`. Removes and withholds parents that may not show the relation. */
export function runRelationHooks(load: RelationLoad): Awaitable<void> {
  const { relation, parents, query, context } = load
  if (query.base.visibility?.hides(relation)) load.parents = []
  else if (typeof relation.hidden === 'function') {
    load.parents = parents.filter((parent) => !isHiddenFrom(relation, parent, context))
  }
  const pending = runBeforeRelationLoad(load)
  if (pending) return pending.then(() => withholdRemoved(load, parents))
  if (load.parents !== parents) withholdRemoved(load, parents)
}

function withholdRemoved({ relation, parents: left, context }: RelationLoad, parents: readonly Row[]): void {
  const shown = new Set(left)
  for (const parent of parents) if (!shown.has(parent)) context.graph.withhold(parent, relation)
}

export function runBeforeRelationLoad(load: RelationLoad): Awaitable<void> {
  return callAll(load.relation.owner.steps.beforeRelationLoad, [load])
}

/** Whether a record hides the relation. Nothing is hidden from a trusted requester. */
export function isHiddenFrom({ hidden }: Relation, parent: Row, { request, trusted }: Context): boolean {
  return typeof hidden === 'function' && !trusted && applies(hidden, [parent, request], request)
}

export async function loadRelation(options: LoadOptions, base: Query, context: Context): Promise<void> {
  const load = createLoad(options, base, context)
  const pending = runRelationHooks(load)
  if (pending) await pending
  if (load.parents.length === 0) return
  const { graph } = context
  const { query, relation } = load
  const pages = await readPages(options, load)
  const edges = graph.edges(relation)
  const sizeBefore = graph.size
  const membersOfPages = addMembers(pages, load)
  const hasPivots = relation.pivotFields.length > 0
  const { window, paginator, search = '' } = query
  let identifiers = 0
  for (const [index, parent] of load.parents.entries()) {
    const page = pages[index] as Page
    const members = membersOfPages[index] as readonly Member[]
    identifiers += members.length
    const edge = { members, included: load.included, rows: hasPivots ? page.records : undefined }
    edges.set(parent, window && paginator ? { ...edge, page: { page, window, paginator, search } } : edge)
  }
  takeResources(graph.size - sizeBefore, base, context, load)
  if (query.linkage || !load.primary) takeIdentifiers(identifiers, base, context, load)
  if (!query.linkage && relation.targets.some(({ provider }) => provider.complete)) {
    await completeRows(newMembers(membersOfPages, pages), base, context)
  }
  if (hasPivots && !query.linkage && (load.ofPrimary || load.primary)) setPivots(load)
}

/** Reads a page of members per parent, without the rows that plugins hide. */
function readPages({ isEmpty }: LoadOptions, load: RelationLoad): Awaitable<readonly Page[]> {
  const { relation, parents, query, context } = load
  if (isEmpty) return parents.map(() => ({ records: [], hasMore: false, ...(query.count && { total: 0 }) }))
  const checksRows = relation.targets.some(({ filtersRowsAfterRead }) => filtersRowsAfterRead)
  const joined = joinedPage(load)
  if (joined) return checksRows ? filterPages([joined], relation.targets, context) : [joined]
  const reading = relation.owner.provider.related(
    relation,
    parents,
    { ...query, rowLimit: context.budget.rowLimit(query.base, context, load) },
    context,
  )
  return checksRows ? reading.then((pages) => filterPages(pages, relation.targets, context)) : reading
}

/** The page that was read together with the only parent. An include that a step filters is read again. */
function joinedPage({ relation, parents, query, primary, context }: RelationLoad): Page | undefined {
  if (context.joined.length === 0 || parents.length > 1 || (!primary && query.where.length > 0)) return undefined
  return context.joined.find((joined) => joined.relation === relation && joined.parent === parents[0])?.page
}

/** Adds the rows of pages to the graph, unless only their linkage is shown. Returns the members of each page. */
function addMembers(pages: readonly Page[], { relation, query, primary, context }: RelationLoad): readonly Member[][] {
  const { graph } = context
  const { target } = relation
  if (query.linkage) {
    return pages.map(({ records, types }) =>
      records.map((row, index) => graph.identifier(types?.[index] ?? target, row)),
    )
  }
  const [page] = pages
  if (page?.types) {
    return pages.map(({ records, types }) => records.map((row, index) => graph.member(types?.[index] ?? target, row)))
  }
  return page && primary ? [graph.addCollection(target, page.records)] : graph.members(target, pages)
}

/** Members of a related collection, and members included at the first level, are shown with their pivot values. */
function setPivots({ relation, parents, context: { graph } }: RelationLoad): void {
  for (const parent of parents) {
    const { members = [], rows = [] } = graph.get(parent, relation) ?? {}
    for (const [index, row] of rows.entries()) graph.setPivot((members[index] as Member).record, relation, row)
  }
}
