import { defineError } from '#kernel'

export const atomicOperationsInvalid = defineError(
  'ATOMIC_OPERATIONS_INVALID',
  400,
  'Atomic operations request is invalid',
  'The batch cannot be read: {reason}.',
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
  "Resources of type '{type}' cannot be created.",
)
export const localIdConflict = defineError(
  'LOCAL_ID_CONFLICT',
  400,
  'Local id conflict',
  "The local id '{lid}' of type '{type}' is used by two operations.",
)
