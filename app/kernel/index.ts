// The API for resources, imported as '#kernel'. Plugins add to the interfaces of modifiers.ts, and to `FieldOptions`, by
// declaration merging.

export type { ApiRequest } from './contract/request.ts'
export type { ApiResponse } from './contract/response.ts'
export type { Context } from './data/context.ts'
export type { Persister } from './data/persister.ts'
export type { Provider } from './data/provider.ts'
export { shownFields } from './data/shown-fields.ts'
export type { Unit } from './data/store.ts'
export { storeProvider } from './data/store-provider.ts'
export { defineResource, defineType } from './declare/define.ts'
export { validationFailed } from './errors/core-errors.ts'
export { ApiError, defineError, type ErrorFactory } from './errors/errors.ts'
export type { Awaitable } from './lib/awaitable.ts'
export type { Link, LinkObject, Links } from './lib/link.ts'
export type * from './schema/builders.ts'
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
} from './schema/condition.ts'
export type * from './schema/entity-types.ts'
export type * from './schema/facts.ts'
export type * from './schema/field.ts'
export type * from './schema/modifiers.ts'
export type { Caller, Principal } from './schema/principal.ts'
export type * from './schema/resource-type.ts'
export type { RowFilter, Unmarked } from './schema/store-types.ts'
export type { OperationName } from './schema/url-shape.ts'
