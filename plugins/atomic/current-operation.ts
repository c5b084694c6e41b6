import type { ApiRequest, OperationDraft } from '#kernel/plugin'

/** Sets the operation of a batch that runs: errors thrown from now on have its type and pointer. */
export function enterOperation({ origin: { request }, pointer = '', target }: OperationDraft): void {
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
