// What plugins that read query parameters share, imported as '#query'.

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
export { checkQueryLimit, listLimit, repeatWithout } from './query-limits.ts'
export { splitList } from './split-list.ts'
