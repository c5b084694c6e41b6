// Queries, imported as '#kernel/queries': conditions on rows, values of query parameters, orders, pages and relation loads.

// The query of an operation.
export { scalarNames } from './compile/scalar-names.ts'
export type { SortTerm } from './model/columns.ts'
// Conditions.
export {
  all,
  any,
  type Comparison,
  type Condition,
  type ConditionVisitor,
  compare,
  exists,
  isIn,
  isNull,
  native,
  never,
  not,
  ofPivot,
  textMatch,
  visitCondition,
} from './model/condition.ts'
export { addNeeds, completeOrder, createQuery, emptyRelationQuery } from './model/create-query.ts'
export { isObjectLiteral, scopeCondition } from './model/filter-to-condition.ts'
export type {
  Include,
  IncludeNode,
  Keyset,
  Page,
  PageLink,
  PageParams,
  PageView,
  Paginator,
  RelationFilterAndSort,
  RelationLoad,
  RowLimit,
  Window,
} from './model/query.ts'
export { isMap, type ParamMap, type ParamValue } from './model/query-parameters.ts'
export { showsResources } from './model/request.ts'
export { chainEnd, keysetKey, pivotKey, versionKey, wholeRow } from './model/selection.ts'
export { servesTarget } from './model/server.ts'

// Reading rows.
export { filterRows } from './read/filter-rows.ts'
export { isTaken } from './read/is-taken.ts'
export { countQuery, keyQuery } from './read/key-query.ts'
export { loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
