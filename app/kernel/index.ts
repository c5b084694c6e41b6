// The API for resources, imported as '#kernel'. Plugins add to the interfaces of modifiers.ts, and to `FieldOptions`, by
// declaration merging.

export { defineResource, defineType } from './declare/define.ts'
export { validationFailed } from './errors/core-errors.ts'
export { ApiError, defineError } from './errors/errors.ts'
export type { Awaitable } from './lib/awaitable.ts'
export type { Link, LinkObject, Links } from './lib/link.ts'
export type * from './model/builders.ts'
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
export type * from './model/entity-types.ts'
export type * from './model/facts.ts'
export type * from './model/field.ts'
export type * from './model/modifiers.ts'
export type { Persister } from './model/persister.ts'
export type { Caller, Principal } from './model/principal.ts'
export type { Provider } from './model/provider.ts'
export type { ApiRequest } from './model/request.ts'
export type * from './model/resource-type.ts'
export type { ApiResponse } from './model/response.ts'
export { shownFields } from './model/shown-fields.ts'
export type { Unit } from './model/store.ts'
export { storeProvider } from './model/store-provider.ts'
export type { OperationName } from './model/url-shape.ts'
