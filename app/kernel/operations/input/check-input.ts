import type { Input, Operation } from '../../contract/operation.ts'
import type { ApiResponse } from '../../contract/response.ts'
import { Faults } from '../../errors/faults.ts'
import { type Awaitable, callEach } from '../../lib/awaitable.ts'
import { runChecks } from '../hooks.ts'
import { checkLinkage } from './linkage.ts'
import { checkGates } from './relation-gates.ts'

/** Authorizes and validates a write. A response of a step ends the operation. */
export function checkWrite(
  operation: Operation,
  input: Input,
  subject: object | null,
): Awaitable<ApiResponse | undefined> {
  const checking = runChecks(operation, subject)
  if (checking instanceof Promise) return checking.then((early) => early ?? checkSent(operation, input, subject))
  return checking ?? checkSent(operation, input, subject)
}

function checkSent(operation: Operation, input: Input, subject: object | null): Awaitable<undefined> {
  if (operation.kind !== 'Create' && input.linkage.length > 0) checkGates(operation, input.linkage, subject)
  return checkInput(operation, input, subject) as Awaitable<undefined>
}

/** Checks the types of linkage, then its ids and the rules of plugins. Throws all faults of a step together. */
export function checkInput(operation: Operation, input: Input, subject: object | null): Awaitable<void> {
  const { context, plan } = operation
  const { linkage } = input
  const faults = new Faults(context.app.config.limits.errors)
  if (linkage.length > 0) checkLinkage(operation, linkage, faults)
  const pending = callEach(plan.validate, (step) => step.check(operation, input, subject, faults))
  if (pending) return pending.then(() => faults.throwAny())
  faults.throwAny()
}
