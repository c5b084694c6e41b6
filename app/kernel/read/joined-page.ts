import type { Operation } from '../contract/operation.ts'
import type { ReadOptions } from '../data/provider.ts'
import type { RelationQuery } from '../data/query.ts'
import { findQueryPlan } from '../plan/create-query-plan.ts'
import type { Relation } from '../schema/field.ts'
import { createLoad } from './load-relation.ts'

/**
 * The options that read the parent of a related or relationship request, together with the page if the plan says so. The page is
 * shown only after the parent was authorized.
 */
export function parentOptions(operation: Operation, query: RelationQuery): ReadOptions {
  const { target, query: base, context } = operation
  const relation = target.relation as Relation
  if (context.sharesUnit || !findQueryPlan(context.app, operation).joinsPage) return { addressed: true }
  const load = createLoad({ relation, parents: [{}], primary: true, query }, base, context)
  const rowLimit = context.budget.rowLimit(base, context, load)
  return { addressed: true, page: { relation, query: { ...query, rowLimit } } }
}
