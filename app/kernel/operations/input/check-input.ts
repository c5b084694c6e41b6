import { Faults } from '../../errors/faults.ts'
import type { Input, Operation } from '../../model/operation.ts'
import { checkLinkageFormat } from './linkage.ts'

/** Checks the ids of linkage and runs `onValidate`. Throws all faults together. */
export async function checkInput(operation: Operation, input: Input, subject: object | null): Promise<void> {
  const { app } = operation.context
  const faults = new Faults(app.config.limits.errors)
  checkLinkageFormat(input.linkage, faults)
  for (const plugin of app.hooks('onValidate')) await plugin.onValidate?.(operation, input, subject, faults)
  faults.throwAny()
}
