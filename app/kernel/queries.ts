// Queries, imported as '#kernel/queries': conditions on rows, values of query parameters, orders, pages and relation loads.

// The query of an operation.
export { scalarNames } from './compile/scalar-names.ts'
export { servesTarget } from './contract/server.ts'
export { unscoped } from './data/context.ts'
export { addNeeds, completeOrder, createQuery, emptyRelationQuery } from './data/create-query.ts'
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
} from './data/query.ts'
export { isMap, type ParamMap, type ParamValue } from './data/query-parameters.ts'
export { chainEnd, keysetKey, pivotKey, versionKey, wholeRow } from './data/selection.ts'
// Reading rows.
export { filterRows } from './read/filter-rows.ts'
export { countQuery, keyQuery } from './read/key-query.ts'
export { loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
export type { SortTerm } from './schema/columns.ts'
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
} from './schema/condition.ts'
export { isObjectLiteral, scopeCondition } from './schema/filter-to-condition.ts'
