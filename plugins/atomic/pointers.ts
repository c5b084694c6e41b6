import { type ApiError, ApiErrors, apiErrorsOf } from '#kernel'

/** The same errors, pointing into the batch. */
export function inOperation(error: unknown, index: number): unknown {
  const errors = apiErrorsOf(error)
  if (errors.length > 0) return new ApiErrors(errors.map((one) => moveInto(one, index)))
  return error instanceof Error ? Object.assign(error, { source: { pointer: pointerTo(index) } }) : error
}

function moveInto(error: ApiError, index: number): ApiError {
  const { source } = error.options
  const inside = source && 'pointer' in source ? source.pointer : ''
  return error.at({ pointer: pointerTo(index) + inside })
}

function pointerTo(index: number): string {
  return `/atomic:operations/${index}`
}
