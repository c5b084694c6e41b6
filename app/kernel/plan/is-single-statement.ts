import type { App } from '../model/app.ts'
import type { Relation } from '../model/field.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { IncludeNode, Query } from '../model/query.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { checkedHops, isKeyLinkage } from '../model/selection.ts'
import { type Server, servesTarget } from '../model/server.ts'
import { shownFields } from '../model/shown-fields.ts'
import type { Target } from '../model/target.ts'

/** The part of an operation that is planned. */
export interface PlannedOperation extends Pick<OperationDraft, 'kind' | 'target' | 'query'> {
  readonly origin: Pick<OperationDraft['origin'], 'server'>
}

/** Whether a read needs one statement only, by its query. Unknown for hooks and policies, which may send statements, too. */
export function isSingleStatement(app: App, { kind, target, query, origin }: PlannedOperation): boolean {
  const { type } = target
  const { include } = query
  if (type.provider !== app.store.provider || typeof include === 'function') return false
  if (query.count || query.counts.size > 0) return false
  if (!include.every((node) => kind === 'FetchOne' && isJoined(node, query))) return false
  if (target.relation && !joinsPage(app, target)) return false
  if (kind === 'FetchRelationship') return true
  const types = [target.relation?.target ?? type, ...include.map(({ relation }) => relation.target)]
  return types.every((shown) => isInRow(shown, query, origin.server))
}

/** Whether the included row is read by the statement of its parent. */
function isJoined({ relation, children }: IncludeNode, query: Query): boolean {
  const { owner, target } = relation
  if (typeof children === 'function' || children.length > 0 || target.provider.complete) return false
  return owner.provider.joins?.(relation, query) === true
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
export function joinsPage({ store }: App, { type, relation }: Target): boolean {
  return relation !== undefined && type.provider === store.provider && type.provider.joinsPage?.(relation) === true
}
