// The contract of a data layer, of the HTTP server and of discovery, imported as '#kernel/store'.

export { parseDate, parseDateTime } from './codecs/temporal.ts'
export { shapeOfRows } from './compile/entityless.ts'
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
export { type LruEntry, LruMap } from './lib/lru-map.ts'
export { mediaType } from './lib/media-type.ts'
export type { Bodies, CreateHttp, DrainLimits } from './model/app.ts'
export type * from './model/app-config.ts'
export type * from './model/columns.ts'
export {
  type Comparison,
  type Condition,
  type ConditionOf,
  type ConditionVisitor,
  compare,
  declaredNames,
  everyCondition,
  isIn,
  native,
  visitCondition,
} from './model/condition.ts'
export type { Context, Requester } from './model/context.ts'
export { completeOrder, createQuery } from './model/create-query.ts'
export { type Clock, type Deadline, type StartDeadline, systemClock } from './model/deadline.ts'
export type * from './model/entity-shape.ts'
export { type Attribute, isOwnerSide, isPolymorphic, type Relation, type Row } from './model/field.ts'
export { convertNative, filterToCondition, isObjectLiteral } from './model/filter-to-condition.ts'
export type { Member } from './model/graph.ts'
export type * from './model/logger.ts'
export type * from './model/persister.ts'
export type { AddressedRow, RowWrite, StatementWriter } from './model/persister.ts'
export type { DisabledPlugin } from './model/plugin.ts'
export { denial } from './model/principal.ts'
export type * from './model/provider.ts'
export type * from './model/query.ts'
export { PlanPart } from './model/query-plan.ts'
export { isOfType, type ResourceType } from './model/resource-type.ts'
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
} from './model/selection.ts'
export type { Stages, TypeStages } from './model/stages.ts'
export type * from './model/store.ts'
export { restrictCaching } from './model/vary.ts'
export { hasOneScope } from './operations/context.ts'
export { outOfScope } from './operations/save/check-written.ts'
export { shapeOfCondition, shapeOfWindow } from './plan/query-shape.ts'
export { keyQuery } from './read/key-query.ts'
export { runInRequest } from './request/request-context.ts'
