import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { findSubject } from './find.ts'
import { runChecks } from './hooks.ts'
import { checkInput } from './input/check-input.ts'
import { writableInput } from './input/hydrate.ts'
import { checkGates } from './input/relation-gates.ts'
import { fastPathFor } from './save/fast-path.ts'
import { saveResource } from './save/save-resource.ts'
import { updateUnread } from './save/update-unread.ts'

/** https://jsonapi.org/format/1.1/#crud-updating */
export async function updateResource(operation: Operation): Promise<ApiResponse> {
  const input = writableInput(operation)
  const fast = fastPathFor(operation)
  const updated = fast && (await updateUnread(operation, input, fast))
  if (updated) return updated
  const subject = await findSubject(operation, fast)
  const early = await runChecks(operation, subject)
  if (early) return early
  checkGates(operation, input.linkage, subject)
  await checkInput(operation, input, subject)
  return saveResource(operation, input, subject, fast)
}
