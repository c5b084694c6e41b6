import { defineError } from '#kernel'

export const asyncWriteInAtomicOperation = defineError(
  'ASYNC_WRITE_IN_ATOMIC_OPERATION',
  422,
  'Async write not allowed in atomic operation',
  "A write of '{type}' that is done later cannot be part of a batch.",
)
