import { isHttpError } from 'http-errors'
import { type ApiError, ApiErrors, apiErrorsOf } from '#kernel'

/** The same errors, pointing into the batch. */
export function inOperation(error: unknown, index: number): unknown {
  if (isHttpError(error)) return Object.assign(error, { source: { pointer: pointerTo(index) } })
  const errors = apiErrorsOf(error)
  return errors.length > 0 ? new ApiErrors(errors.map((one) => moveInto(one, index))) : error
}

function moveInto(error: ApiError, index: number): ApiError {
  const { source } = error.options
  const inside = source && 'pointer' in source ? source.pointer : ''
  return error.at({ pointer: pointerTo(index) + inside })
}

function pointerTo(index: number): string {
  return `/atomic:operations/${index}`
}
