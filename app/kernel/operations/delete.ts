import type { Row } from '../model/field.ts'
import type { Operation } from '../model/operation.ts'
import type { ApiResponse } from '../model/response.ts'
import { writerOf } from '../plan/writer.ts'
import { lockSubject, notFound, subjectError, subjectKey } from './find.ts'
import { runBeforeSave, runChecks } from './hooks.ts'
import { acceptedVersions, checkPreconditions, needsRow } from './save/preconditions.ts'

/** https://jsonapi.org/format/1.1/#crud-deleting */
export async function deleteResource(operation: Operation): Promise<ApiResponse> {
  const early = needsRow(operation) ? await deleteRead(operation) : await deleteUnread(operation)
  return early ?? { kind: 'none', status: 204 }
}

async function deleteRead(operation: Operation): Promise<ApiResponse | undefined> {
  const subject = await lockSubject(operation) // 404
  const early = await runChecks(operation, subject)
  if (early) return early
  await checkPreconditions(operation, subject)
  await runBeforeSave(operation, subject)
  return removeSubject(operation, subject)
}

/** No check needs the stored row: the statement that deletes it finds it by its key. */
async function deleteUnread(operation: Operation): Promise<ApiResponse | undefined> {
  const { context, target } = operation
  const { type } = target
  const key = subjectKey(operation) // 404
  const early = await checkUnread(operation)
  if (early) return early
  const row = { type, subject: null, key, versions: acceptedVersions(operation) }
  if (await writerOf(context.app, type).statements?.remove(row, context)) return undefined
  // No row has the key and the version: the reason is the response.
  const subject = await lockSubject(operation) // 404
  await checkPreconditions(operation, subject) // 412
  return removeSubject(operation, subject)
}

async function checkUnread(operation: Operation): Promise<ApiResponse | undefined> {
  try {
    return await runChecks(operation, null)
  } catch (error) {
    throw await subjectError(operation, error)
  }
}

async function removeSubject({ context, target }: Operation, subject: object): Promise<undefined> {
  const { type } = target
  const { statements } = writerOf(context.app, type)
  const key = type.persister.keyOf(type, subject)
  if (!statements) {
    await type.persister.remove(type, subject, context)
    await type.persister.flush(type, context, subject)
  } else if (!(await statements.remove({ type, subject: subject as Row, key }, context))) {
    notFound(type, target.id ?? '') // a hook has deleted it
  }
}
