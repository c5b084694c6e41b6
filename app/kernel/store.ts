// Door 3: the contract of a data layer, of the HTTP server and of discovery, as '#kernel/store'.
export { parseDate, parseDateTime } from './codecs/temporal.ts'
export { shapeOfRows } from './compile/entityless.ts'
export {
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  conflict,
  resourceNotFound,
  validationFailed,
} from './errors/core-errors.ts'
export { phrase } from './errors/error-text.ts'
export { ApiError } from './errors/errors.ts'
export type { Awaitable } from './lib/awaitable.ts'
export { getOrCreate } from './lib/get-or-create.ts'
export { escapePointer } from './lib/json-pointer.ts'
export { mediaType } from './lib/media-type.ts'
export type { AppConfig, Timeouts } from './model/app-config.ts'
export { type Comparison, type Condition, compare, isIn, native } from './model/condition.ts'
export type { Context, Origin } from './model/context.ts'
export { type Clock, createDeadlines, type Deadline } from './model/deadline.ts'
export { type Attribute, isOwnerSide, isPolymorphic, type Relation, type Row } from './model/field.ts'
export { filterToCondition } from './model/filter-to-condition.ts'
export type { Member } from './model/graph.ts'
export type { CreateHttp, DrainLimits, Listening } from './model/listening.ts'
export type { Logger } from './model/logger.ts'
export { denial } from './model/principal.ts'
export type {
  Changes,
  EntityShape,
  FastPath,
  FastWrite,
  LinkageChange,
  MemberRow,
  Persister,
  PoolState,
  PropertyShape,
  Provider,
  ReadOptions,
  RelatedKey,
  RelatedMember,
  Store,
  Unit,
} from './model/provider.ts'
export {
  completeOrder,
  createQuery,
  type Keyset,
  type Page,
  type Query,
  type RelationQuery,
  type RowLimit,
  type SortTerm,
  type Window,
} from './model/query.ts'
export type { Job, Queue, QueueOptions, Worker } from './model/queue.ts'
export type { ResourceType } from './model/resource-type.ts'
export {
  chainEnd,
  chainKey,
  chainTypes,
  linkKey,
  linkTypeKey,
  pivotColumnsOf,
  relationSelection,
  type Selection,
  selectionOf,
  selectNames,
  wholeRow,
  withinKey,
} from './model/selection.ts'
export { restrictCaching, vary } from './model/vary.ts'
export { stillIdentified } from './request/request-id.ts'
