import { Faults } from '../../errors/faults.ts'
import type { Input, Operation } from '../../model/operation.ts'
import { checkLinkageFormat, checkLinkageTypes } from './linkage.ts'

/** Checks the types of linkage, then its ids and the rules of plugins. Throws all faults of a step together. */
export async function checkInput(operation: Operation, input: Input, subject: object | null): Promise<void> {
  const { context, plan } = operation
  checkLinkageTypes(operation, input.linkage)
  const faults = new Faults(context.app.config.limits.errors)
  checkLinkageFormat(input.linkage, faults)
  for (const step of plan.validate) await step.check(operation, input, subject, faults)
  faults.throwAny()
}
