import type { Operation, Precondition, VersionPrecondition } from '../../contract/operation.ts'
import { type Awaitable, callEach } from '../../lib/awaitable.ts'
import { findWriter } from '../../plan/writer.ts'

/** Adds the preconditions of a write. Most writes have none. */
export function withPreconditions(operation: Operation): Operation {
  const { plan } = operation
  if (plan.precondition.length === 0 || !plan.writes) return operation
  const preconditions: Precondition[] = []
  for (const step of plan.precondition) {
    const precondition = step(operation)
    if (precondition) preconditions.push(precondition)
  }
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
  if (plan.write.needsRow || findWriter(context.app, target.type).statements === null) return true
  return preconditions.length > 1 || !preconditions.every(isOfVersion)
}

/** The versions that the row may have if it is not read. Undefined for any. */
export function acceptedVersions({ preconditions = [] }: Operation): readonly string[] | undefined {
  return preconditions.find(isOfVersion)?.versions
}

function isOfVersion(condition: NonNullable<Operation['preconditions']>[number]): condition is VersionPrecondition {
  return typeof condition === 'object'
}
