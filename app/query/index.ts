// What plugins that read query parameters, or find rows by a value, share; imported as '#query'.

export {
  always,
  defaultSortFor,
  type Exposure,
  exposureOfField,
  exposureOfTerms,
  findExposure,
  hidingDeclarationWithin,
  type IsExposed,
} from './exposure.ts'
export { isTaken } from './is-taken.ts'
export { checkQueryLimit, listLimit, repeatWithout } from './query-limits.ts'
export { showsResources } from './shows-resources.ts'
export { splitList } from './split-list.ts'
export { findVisibleRelation } from './visible-relation.ts'
