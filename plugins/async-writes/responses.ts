import type { NeedsPlugin } from '#kernel'

/** A success an operation may answer with. */
interface Response<Name extends string, Status extends number> {
  readonly response: Name
  readonly status: Status
}
export type Created = Response<'created', 201>
export type Ok = Response<'ok', 200>
export type NoContent = Response<'noContent', 204>
export type SeeOther = Response<'seeOther', 303>
export type MetaResult = Response<'metaResult', 200>
/** The write is done later; the body is the document of a job of this type. */
export interface Accepted extends Response<'accepted', 202>, NeedsPlugin {
  readonly jobType: string
}
export type AnyResponse = Created | Ok | NoContent | SeeOther | MetaResult | Accepted

export const created = (): Created => ({ response: 'created', status: 201 })
export const ok = (): Ok => ({ response: 'ok', status: 200 })
export const noContent = (): NoContent => ({ response: 'noContent', status: 204 })
export const seeOther = (): SeeOther => ({ response: 'seeOther', status: 303 })
export const metaResult = (): MetaResult => ({ response: 'metaResult', status: 200 })
export const accepted = (jobType: string): Accepted => ({
  response: 'accepted',
  status: 202,
  jobType,
  needsPlugin: 'async-writes',
})

export type OneOrMore<T> = T | readonly T[]

/** What each operation may answer with. */
export interface Responses {
  readonly create: Created | NoContent | Accepted
  readonly update: Ok | NoContent | Accepted
  readonly delete: NoContent | MetaResult
  readonly fetchOne: Ok | SeeOther
  readonly fetchCollection: Ok
}

export const valid: { readonly [Key in keyof Responses]: readonly Responses[Key]['response'][] } = {
  create: ['created', 'noContent', 'accepted'],
  update: ['ok', 'noContent', 'accepted'],
  delete: ['noContent', 'metaResult'],
  fetchOne: ['ok', 'seeOther'],
  fetchCollection: ['ok'],
}
