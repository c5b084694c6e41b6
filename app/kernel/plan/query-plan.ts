import type { App } from '../model/app.ts'
import type { Relation } from '../model/field.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { IncludeNode, Query } from '../model/query.ts'
import { QueryPlan } from '../model/query-plan.ts'
import type { Registry, ResourceType } from '../model/resource-type.ts'
import { checkedHops, isKeyLinkage } from '../model/selection.ts'
import { type Server, servesTarget } from '../model/server.ts'
import { shownFields } from '../model/shown-fields.ts'

/** The part of an operation that is planned. */
export interface PlannedOperation extends Pick<OperationDraft, 'kind' | 'target' | 'query'> {
  readonly origin: Pick<OperationDraft['origin'], 'server'>
}

/** The plan of an operation, which its query keeps. */
export function planOf(app: App, operation: PlannedOperation): QueryPlan {
  operation.query.plan ??= createQueryPlan(app, operation)
  return operation.query.plan
}

function createQueryPlan(app: App, operation: PlannedOperation): QueryPlan {
  const { kind, target, query } = operation
  return new QueryPlan({
    isSingle: isSingle(app, operation),
    includes: kind === 'FetchOne' && typeof query.include !== 'function' ? joinedIncludes(target.type, query) : [],
    joinsPage: joinsPage(app, operation),
    completesRows: completesRows(app.registry),
  })
}

/** Whether a read needs one statement only, by its query. Unknown for hooks and policies, which may send statements, too. */
export function isSingle(app: App, operation: PlannedOperation): boolean {
  const { kind, target, query, origin } = operation
  const { type } = target
  const { include } = query
  if (type.provider !== app.store.provider || typeof include === 'function') return false
  if (query.count || query.counts.size > 0) return false
  if (!include.every((node) => kind === 'FetchOne' && isJoined(node, query) && hasNoChildren(node))) return false
  if (target.relation && !joinsPage(app, operation)) return false
  if (kind === 'FetchRelationship') return true
  const types = [target.relation?.target ?? type, ...include.map(({ relation }) => relation.target)]
  return types.every((shown) => isInRow(shown, query, origin.server))
}

function joinedIncludes(type: ResourceType, query: Query): readonly Relation[] {
  const nodes = query.include as readonly IncludeNode[]
  return nodes.filter((node) => node.relation.owner === type && isJoined(node, query)).map(({ relation }) => relation)
}

/** Whether the included row is read by the statement of its parent. */
function isJoined({ relation }: IncludeNode, query: Query): boolean {
  const { owner, target } = relation
  return !target.provider.complete && owner.provider.joins?.(relation, query) === true
}

function hasNoChildren({ children }: IncludeNode): boolean {
  return typeof children !== 'function' && children.length === 0
}

/** Whether the columns of a row are enough to render it. */
function isInRow(type: ResourceType, query: Query, server: Server): boolean {
  const { alwaysLinked, chained } = shownFields(type, query)
  const isRendered = (relation: Relation) => isInRecord(relation, query) || !servesTarget(server, relation)
  return alwaysLinked.every(isRendered) && chained.every((attribute) => checkedHops(attribute, type).length === 0)
}

/** Whether the linkage is rendered from the foreign key in the record. */
function isInRecord(relation: Relation, { related }: Query): boolean {
  return isKeyLinkage(relation) && !related.has(relation)
}

/** Whether the statement of the parent also reads the page of the relation. */
function joinsPage({ store }: App, { target: { type, relation } }: PlannedOperation): boolean {
  return relation !== undefined && type.provider === store.provider && type.provider.joinsPage?.(relation) === true
}

/** Whether a plugin adds something to the rows of a type before they are rendered. */
function completesRows({ types }: Registry): boolean {
  for (const { hooks } of types.values()) if (hooks.beforeRender.length > 0) return true
  return false
}
