import { type Awaitable, isRelationshipWrite, isThenable, type ResourceType } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft } from '#openapi'
import { abilityFor, linkAbility, mutateAbilities, toAbility } from './abilities.ts'
import type { Authorizer } from './authorizer.ts'
import { decide } from './decide.ts'
import { abilityKeys, type PolicyContext } from './policy.ts'
import { listNeeds } from './rows.ts'

type AskedOperation = Pick<DescribedOperation, 'kind' | 'type' | 'relation' | 'route'>

/**
 * Returns whether the policies allow an operation to anonymous requesters. Calls them without a request and without a row, and
 * returns false if that does not decide: an ability reads the row, a policy is asynchronous or throws, or the server has
 * middleware, which may reject the request before.
 */
export function allowsAnonymous(
  { kind, type, relation, route }: AskedOperation,
  { app, server }: Pick<OpenApiDraft, 'app' | 'server'>,
  authorizer: Authorizer,
): boolean {
  if (!kind || !type || server.hasMiddleware) return false
  if (declaredAbility(kind, type) === true) return false
  const requester = { app, server, request: null, principal: null, trusted: false, batch: false }
  // A policy that reads other members throws, which is a denial.
  const context = requester as unknown as PolicyContext
  const action = route?.action
  const allows = (owner: ResourceType, ability: string | null, subject: readonly [] | readonly [unknown]) =>
    isAllowed(() => decide(owner.policy, ability, context, subject)) &&
    isAllowed(() => seesRows(authorizer, owner, context))
  const allowsWithoutRow = (owner: ResourceType, ability: string | null) =>
    listNeeds(owner, ability).length === 0 && allows(owner, ability, [undefined])

  const ability = abilityFor(kind, { type, ...(relation && { relation }), ...(action && { action }) })
  if (kind === 'FetchCollection' || action?.on === 'collection') return allows(type, ability, [])
  if (kind === 'Create') return allows(type, ability, [{ attributes: {}, relationships: {} }])
  const members = isRelationshipWrite(kind) ? (relation?.targets ?? []) : []
  return (
    allowsWithoutRow(type, ability) &&
    members.every((member) => memberAbilities(member).every((each) => allowsWithoutRow(member, each)))
  )
}

/** Returns the value of `abilities` for an operation; undefined if there is none, and for actions. */
export function declaredAbility(kind: string, { declaration }: ResourceType): string | boolean | undefined {
  return kind in abilityKeys ? declaration.abilities?.[abilityKeys[kind as keyof typeof abilityKeys]] : undefined
}

/** Returns all abilities that a change of its membership may require of a member, by any kind of relation. */
function memberAbilities(member: ResourceType): readonly (string | null)[] {
  return [toAbility(member, 'Update'), linkAbility(member, member.policy), ...mutateAbilities(member.relations)]
}

/** Returns whether the scope of the requester can match a row. */
function seesRows(authorizer: Authorizer, type: ResourceType, context: PolicyContext): Awaitable<boolean> {
  if (!type.policy?.scope) return true
  const scope = authorizer.scope(type, context)
  return isThenable(scope) ? Promise.resolve(scope).then(() => false) : scope?.kind !== 'never'
}

/** Returns false for an error, and for an answer that is not there yet. */
function isAllowed(decide: () => Awaitable<boolean>): boolean {
  try {
    const answer = decide()
    if (isThenable(answer)) Promise.resolve(answer).catch(() => undefined)
    return answer === true
  } catch {
    return false
  }
}
