import type { App, OperationEndpoint } from '../contract/app.ts'
import type { PlannedOperation } from '../contract/operation.ts'
import type { Include, IncludeNode, Query } from '../data/query.ts'
import { QueryPlan, type RowsPlan } from '../data/query-plan.ts'
import { chainTypes, chooseSelection } from '../data/selection.ts'
import { shownFields } from '../data/shown-fields.ts'
import { applicationError } from '../errors/core-errors.ts'
import type { Relation } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createTypePlan } from './type-plan.ts'

/** The operation whose query is planned. */
type QueriedOperation = Pick<OperationEndpoint, 'kind' | 'server' | 'target'>

/** Plans how a query is read. `types` are the types that it shows. */
export function createQueryPlan(
  app: App,
  operation: QueriedOperation,
  query: Query,
  types: readonly ResourceType[],
): QueryPlan {
  const { kind, target, server } = operation
  const { include } = query
  const plans = new Map(types.map((type) => [type, createTypePlan(type, query, server)]))
  return new QueryPlan({
    selections: new Map(types.map((type) => [type, chooseSelection(query, type)])),
    types: plans,
    inRow: rowsWithoutLoads(query, plans),
    isSingle: isSingle(app, operation, query, plans),
    includes: kind === 'FetchOne' && typeof include !== 'function' ? joinedIncludes(target.type, include, query) : [],
    joinsPage: joinsPage(app, operation),
    completesRows: typeof include === 'function' || types.some(({ steps }) => steps.beforeRender.length > 0),
    scoped: scopedTypes(operation, query),
  })
}

/** How the rows are shown if nothing is loaded besides them. Null if something is. */
function rowsWithoutLoads({ include, counts, types }: Query, plans: QueryPlan['types']): RowsPlan | null {
  const [type, ...others] = types
  const { primary = null } = (type && plans.get(type)) ?? {}
  const loads = typeof include === 'function' || include.length + counts.size + others.length > 0
  return !loads && primary?.isInRow ? primary : null
}

/** The plan of the query of an operation. A step may have changed the query, which then has another one. */
export function findQueryPlan(app: App, { kind, target, query, requester }: PlannedOperation): QueryPlan {
  if (query.plan) return query.plan
  const { server, request } = requester
  const plan = app.plans.ofQuery(app, { server, kind, target, profiles: request?.media.profiles ?? null }, query).query
  if (!plan) throw applicationError()
  query.plan = plan
  return plan
}

/** Whether a read needs one statement only, by its query. Unknown for hooks and policies, which may send statements, too. */
export function isSingle(app: App, operation: QueriedOperation, query: Query, plans: QueryPlan['types']): boolean {
  const { kind, target } = operation
  const { type } = target
  const { include } = query
  if (type.provider !== app.store.provider || typeof include === 'function') return false
  if (query.count || query.counts.size > 0) return false
  if (!include.every((node) => kind === 'FetchOne' && isJoined(node, query) && isComplete(node))) return false
  if (target.relation && !joinsPage(app, operation)) return false
  if (kind === 'FetchRelationship') return true
  const shown = [plans.get(target.relation?.target ?? type)?.primary]
  for (const { relation } of include) shown.push(plans.get(relation.target)?.included)
  return shown.every((rows) => rows?.chains.length === 0 && rows.linked.every(({ holdsKey }) => holdsKey))
}

function joinedIncludes(type: ResourceType, nodes: readonly IncludeNode[], query: Query): readonly Relation[] {
  return nodes.filter((node) => node.relation.owner === type && isJoined(node, query)).map(({ relation }) => relation)
}

/** Whether the included row is read by the statement of its parent. */
function isJoined({ relation }: IncludeNode, query: Query): boolean {
  return relation.owner.provider.joins?.(relation, query) === true
}

/** Whether nothing else is read for the included row: neither its own includes, nor values that its provider adds. */
function isComplete({ relation, children }: IncludeNode): boolean {
  return typeof children !== 'function' && children.length === 0 && !relation.target.provider.complete
}

/** Whether the statement of the parent also reads the page of the relation. */
function joinsPage({ store }: App, { target: { type, relation } }: QueriedOperation): boolean {
  return relation !== undefined && type.provider === store.provider && type.provider.joinsPage?.(relation) === true
}

/**
 * The types whose scopes a read of several statements needs, except the one that is addressed by its URL. They are computed
 * before the first statement, so that policies do not run while a snapshot is open.
 */
function scopedTypes({ kind }: QueriedOperation, query: Query): readonly ResourceType[] {
  const included = listTargets(query.include)
  const types = new Set([
    ...(kind === 'FetchOne' ? [] : query.types),
    ...included,
    ...[...query.types, ...included].flatMap((type) => typesInRow(type, query)),
    ...[...query.counts].flatMap(({ targets }) => targets),
  ])
  return [...types].filter((type) => type.mayBeScoped)
}

/** The types that includes lead to, as far as they are known before rows are read. */
export function listTargets(include: Include): ResourceType[] {
  if (typeof include === 'function') return []
  return include.flatMap(({ relation, children }) => [...relation.targets, ...listTargets(children)])
}

/** The types of the rows that are read to render a resource: of its linkage and of its chained attributes. */
function typesInRow(type: ResourceType, query: Query): ResourceType[] {
  const { alwaysLinked, chained } = shownFields(type, query)
  return [
    ...alwaysLinked.flatMap(({ targets }) => targets),
    ...chained.flatMap((attribute) => chainTypes(type, attribute)),
  ]
}
