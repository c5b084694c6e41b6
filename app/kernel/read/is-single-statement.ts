import type { App } from '../model/app.ts'
import type { Relation } from '../model/field.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { Query } from '../model/query.ts'
import { checkedHops, isKeyLinkage } from '../model/selection.ts'
import { servesTarget } from '../model/server.ts'
import { shownFields } from '../model/shown-fields.ts'

/** Whether a read needs one statement only, by its query. Unknown for hooks and policies, which may send statements, too. */
export function isSingleStatement(app: App, { kind, target, query, origin }: OperationDraft): boolean {
  const { type } = target
  if (kind !== 'FetchOne' && kind !== 'FetchCollection') return false
  if (type.provider !== app.store.provider) return false
  if (typeof query.include === 'function' || query.include.length > 0) return false
  if (query.count || query.counts.size > 0) return false
  const { alwaysLinked, chained } = shownFields(type, query)
  const isRendered = (relation: Relation) => isInRecord(relation, query) || !servesTarget(origin.server, relation)
  return alwaysLinked.every(isRendered) && chained.every((attribute) => checkedHops(attribute, type).length === 0)
}

/** Whether the linkage is rendered from the foreign key in the record. */
function isInRecord(relation: Relation, { related }: Query): boolean {
  return isKeyLinkage(relation) && !related.has(relation)
}
