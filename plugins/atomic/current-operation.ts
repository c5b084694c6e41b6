import type { ApiRequest, PlannedOperation } from '#kernel/plugin'

/** Sets the operation of a batch that runs: errors thrown from now on have its type and pointer. */
export function enterOperation({ requester: { request }, pointer = '', target }: PlannedOperation): void {
  if (!request) return
  request.operationPointer = pointer
  request.operationType = target.type
}

/** Errors thrown from now on belong to the whole batch. */
export function leaveOperation(request: ApiRequest | null): void {
  if (!request) return
  request.operationPointer = ''
  request.operationType = null
}
