import { type Awaitable, type Context, isThenable, markVariesByPrincipal, type Operation } from '#kernel/plugin'
import type { Policy, PolicyContext } from './policy.ts'

type PolicyMethod = (this: Policy, ...args: unknown[]) => unknown

/** Returns a method of the policy by name; undefined if there is none. */
export function findMethod(policy: Policy, name: string): PolicyMethod | undefined {
  const method: unknown = (policy as unknown as Record<string, unknown>)[name]
  return typeof method === 'function' ? (method as PolicyMethod) : undefined
}

/** The argument between principal and context: a row, the input of a create, or none. */
type AbilitySubject = readonly [] | readonly [unknown]

/**
 * Decides one ability: calls `before`, then the method of the ability. Denies unless the deciding call returns `true`;
 * a missing method denies. Allows without a call if the type has no policy, the check is switched off or the requester is
 * the program itself (`context.trusted`).
 */
export function decide(
  policy: Policy | undefined,
  ability: string | null,
  context: PolicyContext,
  subject: AbilitySubject,
): Awaitable<boolean> {
  if (!policy || ability === null || context.trusted) return true
  markResponseVaries(context)
  const early: unknown = policy.before?.(context.principal, ability, context)
  if (early === undefined) return callAbility(policy, ability, context, subject)
  if (!isThenable(early)) return early === true
  return Promise.resolve(early).then((answer) =>
    answer === undefined ? callAbility(policy, ability, context, subject) : answer === true,
  )
}

/** Returns a promise only for a promise, so that synchronous policies add no event-loop turn to a request. */
function callAbility(
  policy: Policy,
  ability: string,
  context: PolicyContext,
  subject: AbilitySubject,
): Awaitable<boolean> {
  const answer = findMethod(policy, ability)?.call(policy, context.principal, ...subject, context)
  return isThenable(answer) ? Promise.resolve(answer).then((resolved) => resolved === true) : answer === true
}

/** Keeps the response out of shared caches, because a policy decided on its content. */
export function markResponseVaries({ request }: Context): void {
  if (request && !request.ctx.state.variesByPrincipal) markVariesByPrincipal(request.ctx)
}

/** Returns the context passed to policy methods: that of the operation, with its input frozen. */
export function contextWithInput({ context, input }: Pick<Operation, 'context' | 'input'>): PolicyContext {
  if (!input) return context
  const relationships = Object.fromEntries(input.linkage.map(({ relation, data }) => [relation.name, data]))
  return {
    ...context,
    input: Object.freeze({
      attributes: Object.freeze({ ...input.attributes }),
      relationships: Object.freeze(relationships),
    }),
  }
}
