import {
  type Awaitable,
  type Context,
  isRelationshipWrite,
  markVariesByPrincipal,
  type Operation,
  type OperationKind,
  type Relation,
  type ResourceType,
} from '#kernel'
import { abilities, abilityKeys, type Policy } from './policy.ts'

/** The method of the policy that is asked for an operation; null when none is. */
export function abilityOf({ declaration }: ResourceType, kind: OperationKind): string | null {
  const named = declaration.abilities?.[abilityKeys[kind]]
  return typeof named === 'boolean' ? null : (named ?? abilities[kind])
}

/** A relation may have abilities of its own. */
export function abilityFor({ kind, target: { type, relation } }: Operation): string | null {
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

/** Whether a method that may be asked about a change is declared with a subject, or may get one unnamed. */
export function looksAtSubject(policy: Policy | undefined, type: ResourceType): boolean {
  if (!policy) return false
  const ofRelations = type.relations.flatMap(({ options }) => Object.values(options.security ?? {}))
  const asked = [...changes.map((kind) => abilityOf(type, kind)), ...ofRelations]
  return asked.some((ability) => {
    const method = ability === null ? undefined : methodOf(policy, ability)
    return method !== undefined && (method.length > 1 || takesAnything.test(String(method)))
  })
}

const takesAnything = /\.\.\.|\barguments\b|\[native code\]/

/** What a change may ask; that of linkage also whether its result is seen. */
const changes = [
  'Update',
  'UpdateRelationship',
  'AddToRelationship',
  'RemoveFromRelationship',
  'FetchRelationship',
] as const

/** Asks a policy; a subject of undefined stands for the type itself. Who has no such method says `otherwise`. */
export function decide(
  policy: Policy | undefined,
  ability: string | null,
  context: Context,
  subject?: unknown,
  otherwise = false,
): Awaitable<unknown> {
  if (!policy || ability === null || context.trusted) return true
  if (context.request) markVariesByPrincipal(context.request.ctx)
  return policy.before
    ? decideAfter(policy, ability, context, subject, otherwise)
    : askAbility(policy, ability, context, subject, otherwise)
}

async function decideAfter(
  policy: Policy,
  ability: string,
  context: Context,
  subject: unknown,
  otherwise: boolean,
): Promise<unknown> {
  const early = await policy.before?.(context.principal, ability, context)
  return early === undefined ? askAbility(policy, ability, context, subject, otherwise) : early
}

function askAbility(
  policy: Policy,
  ability: string,
  context: Context,
  subject: unknown,
  otherwise: boolean,
): Awaitable<unknown> {
  const method = methodOf(policy, ability)
  if (!method) return otherwise
  const { principal } = context
  return subject === undefined
    ? method.call(policy, principal, context)
    : method.call(policy, principal, subject, context)
}
