import { Faults } from '../../errors/faults.ts'
import type { Input, Operation } from '../../model/operation.ts'
import { checkLinkageFormat, checkLinkageTypes } from './linkage.ts'

/** Checks the types of linkage, then its ids and the rules of plugins (`onValidate`). Throws all faults of a step together. */
export async function checkInput(operation: Operation, input: Input, subject: object | null): Promise<void> {
  const { app } = operation.context
  checkLinkageTypes(operation, input.linkage)
  const faults = new Faults(app.config.limits.errors)
  checkLinkageFormat(input.linkage, faults)
  for (const plugin of app.hooks.onValidate) await plugin.onValidate?.(operation, input, subject, faults)
  faults.throwAny()
}
