import type { Operation } from '../../model/operation.ts'
import type { Precondition } from '../../model/plugin.ts'

/** The preconditions of a write. Most writes have none. */
export function preconditionsOf(operation: Operation): readonly Precondition[] {
  const plugins = operation.context.app.hooksFor('precondition', operation.target.type)
  return plugins.flatMap((plugin) => plugin.precondition?.(operation) ?? [])
}

/** Evaluates the preconditions: the last check before the write. */
export async function checkPreconditions(operation: Operation, subject: object | null): Promise<void> {
  for (const check of preconditionsOf(operation)) await check(subject)
}
