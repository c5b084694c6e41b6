import { Faults } from '../../errors/faults.ts'
import { type Awaitable, callEach } from '../../lib/awaitable.ts'
import type { Input, Operation } from '../../model/operation.ts'
import { checkLinkageFormat, checkLinkageTypes } from './linkage.ts'

/** Checks the types of linkage, then its ids and the rules of plugins. Throws all faults of a step together. */
export function checkInput(operation: Operation, input: Input, subject: object | null): Awaitable<void> {
  const { context, plan } = operation
  const { linkage } = input
  const faults = new Faults(context.app.config.limits.errors)
  if (linkage.length > 0) {
    checkLinkageTypes(operation, linkage)
    checkLinkageFormat(linkage, faults)
  }
  const pending = callEach(plan.validate, (step) => step.check(operation, input, subject, faults))
  if (pending) return pending.then(() => faults.throwAny())
  faults.throwAny()
}
