import { isWrite, type Operation, type Precondition } from '../../model/operation.ts'

/** Adds the preconditions of a write. Most writes have none. */
export function withPreconditions(operation: Operation): Operation {
  const { kind, plan } = operation
  if (plan.precondition.length === 0 || !isWrite(kind)) return operation
  const preconditions = plan.precondition.flatMap((step) => step(operation) ?? [])
  return preconditions.length > 0 ? { ...operation, preconditions } : operation
}

/** Evaluates the preconditions, once per operation: the last check before the write. */
export async function checkPreconditions({ preconditions }: Operation, subject: object | null): Promise<void> {
  if (!preconditions || evaluated.has(preconditions)) return
  evaluated.add(preconditions)
  for (const check of preconditions) await check(subject)
}

/** The preconditions of operations that were checked: a write that needs another path is not checked again. */
const evaluated = new WeakSet<readonly Precondition[]>()
