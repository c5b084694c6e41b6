// Queries, imported as '#kernel/queries': conditions on rows, values of query parameters, orders, pages and relation loads.

// The query of an operation, its pages and its relation loads.

export { parseInfinity } from './codecs/temporal.ts'
export { scalarNames } from './compile/scalar-names.ts'
export { servesTarget } from './contract/server.ts'
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
export type { SortTerm } from './schema/columns.ts'

// Conditions.

export { isStorableText } from './lib/storable-text.ts'
export {
  all,
  any,
  type Comparison,
  type Condition,
  compare,
  exists,
  isIn,
  isNull,
  mapCondition,
  native,
  never,
  not,
  ofPivot,
  textMatch,
} from './schema/condition.ts'
export { isObjectLiteral, scopeCondition } from './schema/filter-to-condition.ts'
export type { RowFilter, Unmarked } from './schema/store-types.ts'

// Reading rows.

export { unscoped } from './data/context.ts'
export { chainEnd, keysetKey, pivotKey, versionKey, wholeRow } from './data/selection.ts'
export { filterRows } from './read/filter-rows.ts'
export { countQuery, keyQuery } from './read/key-query.ts'
export { loadOne, loadRecords } from './read/load.ts'
export { loadRelations } from './read/load-relations.ts'
