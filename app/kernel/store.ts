// The contract of a data layer, of the HTTP server and of discovery, imported as '#kernel/store'.

export { formatInfinity, parseDate, parseDateTime, parseInfinity } from './codecs/temporal.ts'
export { shapeOfRows } from './compile/entityless.ts'
export type { Bodies, CreateHttp, DrainLimits } from './contract/app.ts'
export type * from './contract/app-config.ts'
export { type Clock, type Deadline, type StartDeadline, systemClock } from './contract/deadline.ts'
export type { DisabledPlugin } from './contract/plugin.ts'
export type { Stages, TypeStages } from './contract/stages.ts'
export type { Context, Requester } from './data/context.ts'
export { completeOrder, createQuery } from './data/create-query.ts'
export type { Member } from './data/graph.ts'
export type * from './data/persister.ts'
export type { AddressedRow, RowWrite, StatementWriter } from './data/persister.ts'
export type * from './data/provider.ts'
export type * from './data/query.ts'
export { PlanPart } from './data/query-plan.ts'
export {
  chainEnd,
  chainKey,
  chainTypes,
  chooseSelection,
  inWriteScopeKey,
  keysetKey,
  linkKey,
  linkTypeKey,
  listPivotColumns,
  relationSelection,
  selectNames,
  versionKey,
  wholeRow,
} from './data/selection.ts'
export type * from './data/store.ts'
export { acceptedForms } from './errors/accepted-forms.ts'
export {
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  conflict,
  documentTooLarge,
  requestBodyInvalidJson,
  resourceNotFound,
  validationFailed,
} from './errors/core-errors.ts'
export { type Phrase, phrase } from './errors/error-text.ts'
export { ApiError, defineError, type ErrorOptions } from './errors/errors.ts'
export { notStored } from './errors/not-stored.ts'
export { StatementError } from './errors/statement-error.ts'
export { type Awaitable, isThenable } from './lib/awaitable.ts'
export { countCodePoints } from './lib/code-points.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { isObject } from './lib/is-object.ts'
export { escapePointer } from './lib/json-pointer.ts'
export type * from './lib/logger.ts'
export { type LruEntry, LruMap } from './lib/lru-map.ts'
export { mediaType } from './lib/media-type.ts'
export { isStorableText, toStorableText } from './lib/storable-text.ts'
export { restrictCaching } from './lib/vary.ts'
export { hasOneScope } from './operations/context.ts'
export { outOfScope } from './operations/save/check-written.ts'
export { shapeOfCondition, shapeOfWindow } from './plan/query-shape.ts'
export { keyQuery } from './read/key-query.ts'
export { runInRequest } from './request/request-context.ts'
export type * from './schema/columns.ts'
export {
  type Comparison,
  type Condition,
  type ConditionOf,
  type ConditionVisitor,
  compare,
  declaredNames,
  everyCondition,
  isIn,
  mapCondition,
  native,
  visitCondition,
} from './schema/condition.ts'
export type * from './schema/entity-shape.ts'
export { type Attribute, isOwnerSide, isPolymorphic, type Relation, type Row } from './schema/field.ts'
export { convertNative, filterToCondition, isObjectLiteral } from './schema/filter-to-condition.ts'
export { isOfType, type Registry, type ResourceType } from './schema/resource-type.ts'
export type { StoreTypes } from './schema/store-types.ts'
