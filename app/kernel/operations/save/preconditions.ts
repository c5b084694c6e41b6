import { isWrite, type Operation } from '../../model/operation.ts'

/** Adds the preconditions of a write. Most writes have none. */
export function withPreconditions(operation: Operation): Operation {
  const { kind, target, context } = operation
  const plugins = isWrite(kind) ? context.app.hooksFor('precondition', target.type) : []
  if (plugins.length === 0) return operation
  const preconditions = plugins.flatMap((plugin) => plugin.precondition?.(operation) ?? [])
  return preconditions.length > 0 ? { ...operation, preconditions } : operation
}

/** Evaluates the preconditions: the last check before the write. */
export async function checkPreconditions({ preconditions = [] }: Operation, subject: object | null): Promise<void> {
  for (const check of preconditions) await check(subject)
}
