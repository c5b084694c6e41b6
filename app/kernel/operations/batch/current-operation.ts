import type { OperationDraft } from '../../model/operation.ts'
import type { ApiRequest } from '../../model/request.ts'

/** Notes which operation of a batch runs: an error that is thrown from now on is one of its type, at its place. */
export function enterOperation({ origin: { request }, place = '', target }: OperationDraft): void {
  if (!request) return
  request.place = place
  request.operationType = target.type
}

/** An error that is thrown from now on is one of the whole batch. */
export function leaveOperation(request: ApiRequest | null): void {
  if (!request) return
  request.place = ''
  request.operationType = null
}
