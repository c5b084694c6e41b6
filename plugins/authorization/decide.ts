import {
  type Awaitable,
  type Context,
  isRelationshipWrite,
  isThenable,
  markVariesByPrincipal,
  type Operation,
  type OperationKind,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { abilities, abilityKeys, type Policy, type PolicyContext } from './policy.ts'

/** The method of the policy that decides an operation; null when none does. */
export function abilityOf({ declaration }: ResourceType, kind: OperationKind): string | null {
  const named = declaration.abilities?.[abilityKeys[kind]]
  return typeof named === 'boolean' ? null : (named ?? abilities[kind])
}

/** The same for an operation on a relation, which may have abilities of its own. */
export function abilityFor(kind: OperationKind, type: ResourceType, relation?: Relation): string | null {
  const { read, mutate } = relation?.options.security ?? {}
  if (read !== undefined && isRelationRead(kind)) return read
  if (mutate !== undefined && isRelationshipWrite(kind)) return mutate
  return abilityOf(type, kind)
}

/** The ability without which a relation shows nothing of a parent. */
export function readAbilityFor(relation: Relation): string | null {
  return relation.options.security?.read ?? abilityOf(relation.owner, 'FetchRelationship')
}

function isRelationRead(kind: OperationKind): boolean {
  return kind === 'FetchRelated' || kind === 'FetchRelationship'
}

export type Method = (this: Policy, ...args: unknown[]) => unknown

export function methodOf(policy: Policy, name: string): Method | undefined {
  const method: unknown = (policy as unknown as Record<string, unknown>)[name]
  return typeof method === 'function' ? (method as Method) : undefined
}

/** What an ability is decided by, besides the principal and the context: a row, an input, or nothing. */
export type Subject = readonly [] | readonly [unknown]

/** Calls `before`, then the ability. Everything but `true` denies; so does an ability without a method. */
export function decide(
  policy: Policy | undefined,
  ability: string | null,
  context: PolicyContext,
  subject: Subject,
): Awaitable<boolean> {
  if (!policy || ability === null || context.trusted) return true
  markVaries(context)
  const callAbility = () => isTrue(methodOf(policy, ability)?.call(policy, context.principal, ...subject, context))
  if (!policy.before) return callAbility()
  const early = policy.before(context.principal, ability, context)
  if (isThenable(early))
    return Promise.resolve(early).then((answer) => (answer === undefined ? callAbility() : answer === true))
  return early === undefined ? callAbility() : early === true
}

function isTrue(answer: unknown): Awaitable<boolean> {
  return isThenable(answer) ? Promise.resolve(answer).then((resolved) => resolved === true) : answer === true
}

/** An answer that a policy has shaped is not for shared caches. */
export function markVaries({ request }: Context): void {
  if (request) markVariesByPrincipal(request.ctx)
}

/** The operation's context with what was sent, as a policy receives it. */
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
