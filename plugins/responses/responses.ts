/** The keys of a declaration that declare success responses: one per operation. */
export type ResponseKey = 'create' | 'update' | 'delete' | 'fetchOne' | 'fetchCollection'
export const responseKeys: readonly ResponseKey[] = ['create', 'update', 'delete', 'fetchOne', 'fetchCollection']

/** A success response of an operation. */
export interface SuccessResponse {
  /** The name of the function that creates it. */
  readonly response: string
  readonly status: number
  /** The operations that may declare it. */
  readonly answers: readonly ResponseKey[]
}

export interface Created extends SuccessResponse {
  readonly response: 'created'
}
export interface Ok extends SuccessResponse {
  readonly response: 'ok'
}
export interface NoContent extends SuccessResponse {
  readonly response: 'noContent'
}
export interface MetaResult extends SuccessResponse {
  readonly response: 'metaResult'
}

export const created = (): Created => ({ response: 'created', status: 201, answers: ['create'] })
export const ok = (): Ok => ({ response: 'ok', status: 200, answers: ['update', 'fetchOne', 'fetchCollection'] })
export const noContent = (): NoContent => ({
  response: 'noContent',
  status: 204,
  answers: ['create', 'update', 'delete'],
})
/** A document with `meta` only, which a hook supplies. */
export const metaResult = (): MetaResult => ({ response: 'metaResult', status: 200, answers: ['delete'] })

/** The responses that each operation may declare; plugins add theirs by declaration merging. */
export interface CreateResponses {
  created: Created
  noContent: NoContent
}
export interface UpdateResponses {
  ok: Ok
  noContent: NoContent
}
export interface DeleteResponses {
  noContent: NoContent
  metaResult: MetaResult
}
export interface FetchOneResponses {
  ok: Ok
}
export interface FetchCollectionResponses {
  ok: Ok
}

export type OneOrMoreOf<Responses> = Responses[keyof Responses] | readonly Responses[keyof Responses][]
