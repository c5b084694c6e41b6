import type { Operation } from '../contract/operation.ts'
import type { ApiResponse } from '../contract/response.ts'
import { notDeleted } from '../errors/not-stored.ts'
import { findWriter } from '../plan/writer.ts'
import type { Row } from '../schema/field.ts'
import { lockSubject, subjectError, subjectKey } from './find.ts'
import { runBeforeSave, runChecks } from './hooks.ts'
import { acceptedVersions, checkPreconditions, needsRow } from './save/preconditions.ts'

const deleted: ApiResponse = { kind: 'none', status: 204 }

/**
 * Without a check that reads the stored row, the statement that deletes the row finds it by its key. If it finds none, the row
 * is read: the reason is the response.
 *
 * https://jsonapi.org/format/1.1/#crud-deleting
 */
export async function deleteResource(operation: Operation): Promise<ApiResponse> {
  const key = subjectKey(operation) // 404
  let subject = needsRow(operation) ? await lockSubject(operation) : null // 404
  try {
    const checked = runChecks(operation, subject) // 401, 403
    const early = checked && (await checked)
    if (early) return early
  } catch (error) {
    throw subject ? error : await subjectError(operation, error) // 404
  }
  if (!subject) {
    if (await removeByKey(operation, key)) return deleted
    subject = await lockSubject(operation) // 404
  }
  await checkPreconditions(operation, subject) // 412, 428
  await runBeforeSave(operation, subject)
  await removeSubject(operation, subject)
  return deleted
}

/** False if no row in scope has the key and the version. */
function removeByKey(operation: Operation, key: unknown): Promise<boolean> | undefined {
  const { context, target } = operation
  const { type } = target
  const row = { type, subject: null, key, versions: acceptedVersions(operation) }
  return findWriter(context.app, type).statements?.remove(row, context)
}

async function removeSubject(operation: Operation, subject: object): Promise<void> {
  const { context, target } = operation
  const { type } = target
  const { statements } = findWriter(context.app, type)
  const key = type.persister.keyOf(type, subject)
  if (!statements) {
    await type.persister.remove(type, subject, context)
    await type.persister.flush(type, context, subject)
  } else if (!(await statements.remove({ type, subject: subject as Row, key }, context))) {
    await lockSubject(operation) // 404: a hook has deleted it
    throw notDeleted()
  }
}
