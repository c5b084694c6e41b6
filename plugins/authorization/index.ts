import createError from 'http-errors'
import {
  type Context,
  native,
  need,
  never,
  type Operation,
  type OperationKind,
  type Plugin,
  type ResourceType,
  wholeRow,
} from '#kernel'
import {
  type Abilities,
  type Ability,
  abilities,
  type Policy,
  type PolicyClass,
  type RelationSecurity,
} from './policy.ts'

export { type Abilities, type Ability, Policy, type PolicyClass, type RelationSecurity } from './policy.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** Who may do what with this type, and which of its rows they may see. */
    readonly policy?: PolicyClass<NoInfer<Entity>>
    /** Another method of the policy for an operation; false asks none, true only says that it is secured. */
    readonly abilities?: Abilities
  }
  interface RelationWords<Entity> {
    /** Methods of this type's policy that replace `view` and `update` for the relation, with the parent as subject. */
    security(abilities: RelationSecurity): this
  }
  interface FieldOptions {
    security?: RelationSecurity
  }
}

/** Asks a type's policy before anything is shown or changed, and keeps hidden rows out of every statement. */
export function authorization(): Plugin {
  const policies = new Map<ResourceType, Policy>()
  const ask = (type: ResourceType, ability: Ability, context: Context, subject: unknown) =>
    decide(policies.get(type), ability, context, subject)
  return {
    name: 'authorization',
    modifiers: { relation: { security: (_, security: RelationSecurity) => ({ options: { security } }) } },
    dormant: ['abilities', 'security'],

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const { policy: PolicyOfType } = type.declaration
        if (!PolicyOfType) continue
        const policy: Policy = new PolicyOfType()
        policies.set(type, policy)
        for (const operation of type.operations) {
          const ability = abilities[operation]
          if (!policy[ability])
            registry.fail(type, 'policy', `${PolicyOfType.name} has no method '${ability}' for ${operation}.`)
        }
      }
    },

    onQuery({ target }, query) {
      if (!target || target.kind === 'collection') return
      const { policy } = target.type.declaration
      if (policy) need(query, target.type, policy.needs ?? wholeRow(target.type))
    },

    async scope(type, context) {
      const seen = await ask(type, 'viewAny', context, undefined)
      if (seen === true) return undefined
      return seen === false ? never : native(seen)
    },

    async onSubject(operation, subject) {
      const ability = abilities[operation.kind]
      const allowed = await ask(operation.target.type, ability, operation.context, subject)
      if (allowed === false) throw denial(operation)
    },
  }
}

async function decide(
  policy: Policy | undefined,
  ability: Ability,
  context: Context,
  subject: unknown,
): Promise<boolean | object> {
  if (!policy || context.trusted) return true
  const { principal } = context
  const early = await policy.before?.(principal, ability, context)
  if (early !== undefined) return early
  if (ability === 'viewAny') return (await policy.viewAny?.(principal, context)) ?? true
  if (ability === 'create') return (await policy.create?.(principal, context)) ?? false
  return (await policy[ability]?.(principal, subject as never, context)) ?? false
}

function denial({ context, kind }: Operation & { kind: OperationKind }): Error {
  if (context.principal) return createError(403, `${kind} is not allowed.`)
  return createError(401, `${kind} needs authentication.`, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
