import type { Edge, Member } from '../data/graph.ts'
import type { Page } from '../data/query.ts'
import type { ErrorObject } from '../errors/errors.ts'
import { StacklessError } from '../errors/stackless-error.ts'
import type { JsonText } from '../lib/json-text.ts'
import type { Relation, Row } from '../schema/field.ts'
import type { Operation } from './operation.ts'

export type Headers = Readonly<Record<string, string>>

interface ResponseBase {
  readonly status: number
  readonly headers?: Headers
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface DataResponse extends ResponseBase {
  readonly kind: 'data' | 'related'
  readonly operation: Operation
  readonly data: Member | readonly Member[] | null
  /** The page, if data is a collection. */
  readonly page?: Page
}

export interface IdentifierResponse extends ResponseBase {
  readonly kind: 'identifier'
  readonly operation: Operation
  readonly parent: Row
  readonly relation: Relation
  readonly edge: Edge
}

export interface ErrorResponse extends ResponseBase {
  readonly kind: 'error'
  readonly errors: readonly ErrorObject[]
}

/** The response of an operation, before it is rendered. */
export type ApiResponse =
  | DataResponse
  | IdentifierResponse
  | ErrorResponse
  | (ResponseBase & { readonly kind: 'meta'; readonly meta: Readonly<Record<string, unknown>> })
  | (ResponseBase & { readonly kind: 'none' })
  /** A response that was rendered before: sent as it is, without hooks. */
  | (ResponseBase & { readonly kind: 'rendered'; readonly body: string | null })
  /** A complete document with another structure, such as the results of a batch. */
  | (ResponseBase & { readonly kind: 'document'; readonly document: Record<string, unknown> })

/** Carries the error response of a write out of the transaction, which rolls back. */
export class ResponseError extends StacklessError {
  readonly response: ErrorResponse

  constructor(response: ErrorResponse) {
    super('The operation returned an error response.')
    this.response = response
  }
}

export function isData(response: ApiResponse): response is DataResponse {
  return response.kind === 'data' || response.kind === 'related'
}

export function listMembers(response: DataResponse): readonly Member[] {
  if (response.data === null) return []
  return Array.isArray(response.data) ? response.data : [response.data as Member]
}

/** https://jsonapi.org/format/1.1/#document-structure; its resources are serialized already. */
export interface Document {
  data?: JsonText | null
  included?: JsonText
  errors?: readonly ErrorObject[]
  links?: Record<string, string>
  meta?: Record<string, unknown>
  jsonapi: { version: '1.1'; ext?: readonly string[]; profile?: readonly string[] }
  [extensionMember: string]: unknown
}
