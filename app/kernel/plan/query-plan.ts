import type { App } from '../model/app.ts'
import { QueryPlan } from '../model/query-plan.ts'
import { isSingleStatement, type PlannedOperation } from './is-single-statement.ts'

/** The plan of an operation, which its query keeps. */
export function planOf(app: App, operation: PlannedOperation): QueryPlan {
  operation.query.plan ??= new QueryPlan(isSingleStatement(app, operation))
  return operation.query.plan
}
