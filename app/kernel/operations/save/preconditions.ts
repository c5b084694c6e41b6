import { type Awaitable, callEach } from '../../lib/awaitable.ts'
import { isWrite, type Operation, type VersionPrecondition } from '../../model/operation.ts'
import { writerOf } from '../../plan/writer.ts'

/** Adds the preconditions of a write. Most writes have none. */
export function withPreconditions(operation: Operation): Operation {
  const { kind, plan } = operation
  if (plan.precondition.length === 0 || !isWrite(kind)) return operation
  const preconditions = plan.precondition.flatMap((step) => step(operation) ?? [])
  return preconditions.length > 0 ? { ...operation, preconditions } : operation
}

/** Evaluates the preconditions: the last check before the write. */
export function checkPreconditions({ preconditions }: Operation, subject: object | null): Awaitable<void> {
  if (!preconditions) return
  return callEach(preconditions, (condition) =>
    typeof condition === 'function' ? condition(subject) : condition.check(subject),
  )
}

/** Whether the subject of an update, a deletion or a relationship write is locked and read before it is written. */
export function needsRow({ context, plan, preconditions = [], target }: Operation): boolean {
  if (plan.write.needsRow || writerOf(context.app, target.type).statements === null) return true
  return preconditions.length > 1 || !preconditions.every(isOfVersion)
}

/** The versions that the row may have if it is not read. Undefined for any. */
export function acceptedVersions({ preconditions = [] }: Operation): readonly string[] | undefined {
  return preconditions.find(isOfVersion)?.versions
}

function isOfVersion(condition: NonNullable<Operation['preconditions']>[number]): condition is VersionPrecondition {
  return typeof condition === 'object'
}
