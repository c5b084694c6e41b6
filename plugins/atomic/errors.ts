import { type ApiError, defineError } from '#kernel'

export const atomicOperationsInvalid = defineError(
  'ATOMIC_OPERATIONS_INVALID',
  400,
  'Atomic operations request is invalid',
  'The batch cannot be read: {reason}.',
)
export const atomicHrefUnresolvable = defineError(
  'ATOMIC_HREF_UNRESOLVABLE',
  400,
  'Atomic operation href is unresolvable',
  "The href leads to nothing here that '{op}' could be done with.",
)
export const atomicTargetTypeUnknown = defineError(
  'ATOMIC_TARGET_TYPE_UNKNOWN',
  404,
  'Atomic operation target type is unknown',
  "There is no resource type '{type}' here.",
)
export const atomicOperationNotExposed = defineError(
  'ATOMIC_OPERATION_NOT_EXPOSED',
  403,
  'Atomic operation is not exposed',
  "Resources of type '{type}' do not take the operation '{op}' on a {target}.",
)
export const atomicOperationsNotSupported = defineError(
  'ATOMIC_OPERATIONS_NOT_SUPPORTED',
  403,
  'Atomic operations not supported',
  "Resources of type '{type}' are written one by one, because their writes cannot be undone.",
)
export const atomicOperationsUnavailable = defineError(
  'ATOMIC_OPERATIONS_UNAVAILABLE',
  500,
  'Atomic operations unavailable',
  'Nothing here could undo a batch that fails.',
)
export const localIdConflict = defineError(
  'LOCAL_ID_CONFLICT',
  400,
  'Local id conflict',
  "The local id '{lid}' of type '{type}' is used by two operations.",
)

/** Without a pointer it is said of the whole operation. */
export function invalid(reason: string, pointer?: string): ApiError {
  return atomicOperationsInvalid({ reason }, pointer === undefined ? {} : { source: { pointer } })
}
