import { chooseStatus, type ErrorObject, toApiErrors } from '#kernel/errors'
import { ResponseError } from '#kernel/operations'
import { isObject } from '#kernel/plugin'

/** The status and the errors of the response that a `GET` would have. */
interface Failure {
  readonly status: number
  readonly errors: readonly ErrorObject[]
}

/** Reads a thrown value. The error of a function of the application is a 500, and shows nothing of its cause. */
export function toFailure(error: unknown): Failure {
  if (error instanceof ResponseError) return error.response
  const errors = toApiErrors(error)
  if (errors.length > 0) return { status: chooseStatus(errors), errors: errors.map((one) => one.toObject()) }
  const { status = 500 } = isObject(error) ? (error as { readonly status?: number }) : {}
  return { status, errors: [{ status: String(status), title: 'The stream ends' }] }
}
