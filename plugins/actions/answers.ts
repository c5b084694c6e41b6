import type { ApiError } from '#kernel/errors'
import type { ApiResponse, Operation } from '#kernel/plugin'

/** A response that an action may declare. `{ data: 'releases' }` names another type than its own. */
export type DeclaredAnswer =
  | 'data'
  | { readonly data: string }
  | 'meta'
  | 'noContent'
  | 'seeOther'
  /** 202 with a job of this type. */
  | { readonly accepted: string }

/** The value that a handler returns for each declared response. */
export type AnswerOf<Declared extends DeclaredAnswer> = Declared extends 'data' | { readonly data: string }
  ? DataAnswer
  : Declared extends 'meta'
    ? MetaAnswer
    : Declared extends 'noContent'
      ? NoContentAnswer
      : Declared extends 'seeOther'
        ? SeeOtherAnswer
        : AcceptedAnswer

export interface DataAnswer {
  readonly answer: 'data'
  readonly record: object
}
export interface MetaAnswer {
  readonly answer: 'meta'
  readonly meta: Readonly<Record<string, unknown>>
}
export interface NoContentAnswer {
  readonly answer: 'noContent'
}
export interface SeeOtherAnswer {
  readonly answer: 'seeOther'
  readonly location: Location
}
export interface ErrorAnswer {
  readonly answer: 'error'
  readonly errors: readonly ApiError[]
}
/** `AcceptedForProcessing` of the plugin async-writes. */
export interface AcceptedAnswer {
  respond(operation: Operation): Promise<ApiResponse>
}

export type Answer = DataAnswer | MetaAnswer | NoContentAnswer | SeeOtherAnswer | ErrorAnswer | AcceptedAnswer

/** A path of this server, an absolute URL, or a resource. */
export type Location = string | { readonly type: string; readonly id: string | number }

/** 200 with the resource, read again after the handler. An entity or a record. */
export const data = (record: object): DataAnswer => ({ answer: 'data', record })

/** 200 with a document that has `meta` only. */
export const meta = (values: object): MetaAnswer => ({ answer: 'meta', meta: { ...values } })

/** 204. */
export const noContent = (): NoContentAnswer => ({ answer: 'noContent' })

/** 303 with `Location`. */
export const seeOther = (location: Location): SeeOtherAnswer => ({ answer: 'seeOther', location })

/** The errors as they are; the transaction is rolled back. */
export const error = (...errors: readonly ApiError[]): ErrorAnswer => ({ answer: 'error', errors })
