import Joi from 'joi'
import { definitionsOf, formText } from '#kernel/errors'
import type { Plugin, Registry, ResourceType } from '#kernel/plugin'
import { addNeeds } from '#kernel/queries'
import { abilityFor, linkAbility, linkedAbilities, recordAbilities, subjectAbilities } from './abilities.ts'
import { Authorizer, policyOf } from './authorizer.ts'
import { checkActions, checkPolicy } from './checks.ts'
import { describePolicies } from './describe.ts'
import { openTypeWarnings, refuseOpenTypes } from './open-types.ts'
import {
  type Abilities,
  defaultAbilities,
  type open,
  type PolicyClass,
  type RelationSecurity,
  readPolicyClass,
} from './policy.ts'
import { listNeeds } from './rows.ts'
import { planReads, planWrites, subjectCheck, viewNeedsRow } from './steps.ts'

export {
  type Abilities,
  type Ability,
  type Needs,
  open,
  Policy,
  type PolicyClass,
  type PolicyContext,
  type PolicyInput,
  type PolicyRow,
  type RelationSecurity,
} from './policy.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Authorizes reads and writes of the type and limits its visible rows. `open` allows every requester everything. */
    readonly policy?: PolicyClass<NoInfer<Entity>> | typeof open
    /** Another policy method per operation; `false` skips the check, `true` skips it and documents it as secured. */
    readonly abilities?: Abilities
  }
  interface RelationModifiers<Entity> {
    /** Policy methods of this type that replace `view` and `update` for the relation. They receive the parent row. */
    security(abilities: RelationSecurity): this
  }
  interface FieldOptions {
    security?: RelationSecurity
  }
}

const abilityForm = Joi.alternatives(Joi.string(), Joi.boolean()).messages(
  formText('is the name of a method of the policy, or true or false'),
)
const abilitiesForm = Joi.object(Object.fromEntries(Object.keys(defaultAbilities).map((key) => [key, abilityForm])))

/**
 * Authorization by policies. Calls the policy of a type before rows are returned or changed, and adds its scope to every
 * statement (row-level security).
 */
export function authorization(): Plugin {
  const authorizer = new Authorizer()
  return {
    name: 'authorization',
    environment: { ALLOW_OPEN_TYPES: Joi.boolean().default(false) },
    keys: { policy: null, abilities: abilitiesForm },
    modifiers: {
      arguments: { security: [Joi.object({ read: Joi.string(), mutate: Joi.string() }).required()] },
      relation: {
        security: (_, security: RelationSecurity) => ({
          options: { security },
          hasReadAbility: security.read !== undefined,
        }),
      },
    },

    onCompile(registry) {
      for (const type of registry.types.values()) compilePolicy(type, registry)
      for (const warning of openTypeWarnings(registry)) registry.warn(warning)
      return () => {
        for (const type of registry.types.values()) compileActions(type, registry)
      }
    },

    setup: refuseOpenTypes,

    /** Loads the columns that abilities read of the subject together with the subject. */
    onQuery({ kind, target }, query) {
      const { type } = target
      for (const ability of subjectAbilities(kind, target)) addNeeds(query, type, listNeeds(type, ability))
    },

    plan({ kind, type, relation, action, check }) {
      if (!kind || !type || !policyOf(type)) return
      const target = { type, ...(relation && { relation }), ...(action && { action }) }
      const authorize = subjectCheck(authorizer, abilityFor(kind, target))
      const readsRow = subjectAbilities(kind, target).some((ability) => listNeeds(type, ability).length > 0)
      check.push(readsRow ? authorize : { of: 'input', check: authorize })
    },

    planType(builder) {
      const policy = policyOf(builder.type)
      if (!policy) return
      planReads(authorizer, policy, builder)
      planWrites(authorizer, policy, builder)
    },

    describe: (draft) => describePolicies(draft, authorizer),
  }
}

/** Creates the policy of a type, reports its faults, and declares the columns that its methods read. */
function compilePolicy(type: ResourceType, registry: Registry): void {
  const PolicyOfType = readPolicyClass(type.declaration)
  const policy = typeof PolicyOfType === 'function' ? new PolicyOfType() : undefined
  checkPolicy(type, policy, registry)
  type.errors.push(...definitionsOf(PolicyOfType?.errors))
  if (!policy) return
  type.policy = policy
  type.rowFilterReason = viewNeedsRow(type) && PolicyOfType?.rowsByView === true ? 'policy sets rowsByView' : null
  type.needs = [...type.needs, ...recordAbilities(type).flatMap((ability) => listNeeds(type, ability))]
  type.linkColumns = [...type.linkColumns, ...listNeeds(type, linkAbility(type, policy))]
}

/** Reports actions without an ability, and declares the columns that decide on links to actions. */
function compileActions(type: ResourceType, registry: Registry): void {
  const { policy } = type
  if (!policy) return
  checkActions(type, policy, registry)
  type.needs = [...type.needs, ...linkedAbilities(type).flatMap((ability) => listNeeds(type, ability))]
}
