import { Faults } from '../../errors/faults.ts'
import type { Input, Operation } from '../../model/operation.ts'
import type { ApiResponse } from '../../model/response.ts'
import { runChecks } from '../hooks.ts'
import { checkLinkageFormat, checkLinkageTypes } from './linkage.ts'
import { checkGates } from './relation-gates.ts'

/** Authorizes and validates a write. A response of a step ends the operation. */
export async function checkWrite(
  operation: Operation,
  input: Input,
  subject: object | null,
): Promise<ApiResponse | undefined> {
  const early = await runChecks(operation, subject)
  if (early) return early
  if (operation.kind !== 'Create') checkGates(operation, input.linkage, subject)
  await checkInput(operation, input, subject)
  return undefined
}

/** Checks the types of linkage, then its ids and the rules of plugins. Throws all faults of a step together. */
export async function checkInput(operation: Operation, input: Input, subject: object | null): Promise<void> {
  const { context, plan } = operation
  checkLinkageTypes(operation, input.linkage)
  const faults = new Faults(context.app.config.limits.errors)
  checkLinkageFormat(input.linkage, faults)
  for (const step of plan.validate) await step.check(operation, input, subject, faults)
  faults.throwAny()
}
