// Door 1: what authors of resources import, as '#kernel'. Plugins add their words to the interfaces of the two modules
// that are exported whole, by declaration merging.

export { ApiError, defineError } from './errors/errors.ts'
export type { Awaitable } from './lib/awaitable.ts'
export {
  all,
  any,
  type Condition,
  compare,
  exists,
  isIn,
  isNull,
  native,
  never,
  not,
  textMatch,
} from './model/condition.ts'
export type { Context } from './model/context.ts'
export type * from './model/field.ts'
export type * from './model/field-words.ts'
export type { Principal } from './model/principal.ts'
export type { Persister, Provider, ReadOptions, Unit } from './model/provider.ts'
export type { Page, Query, RelationQuery } from './model/query.ts'
export type { ApiRequest } from './model/request.ts'
export {
  defineResource,
  defineType,
  type Hydrator,
  type IdCodec,
  type OperationName,
  type Resource,
  type ResourceDeclaration,
  type ResourceType,
  type Serializer,
  type TypeDeclaration,
} from './model/resource-type.ts'
export type { ApiResponse } from './model/response.ts'
export { shownFields } from './model/shown-fields.ts'
export type { Caller } from './model/visibility.ts'
