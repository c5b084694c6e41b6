import {
  type Condition,
  denial,
  isRelationshipWrite,
  isThenable,
  isWritable,
  isWrite,
  native,
  need,
  type Operation,
  type Plugin,
  type Relation,
  type RelationLoad,
  type ResourceType,
  remember,
  wholeRow,
} from '#kernel'
import { checkPolicy } from './checks.ts'
import { abilityFor, abilityOf, decide, looksAtSubject, readAbilityFor } from './decide.ts'
import { describePolicies } from './describe.ts'
import type { Abilities, Policy, PolicyClass, RelationSecurity } from './policy.ts'

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
  const needs = new Map<ResourceType, readonly string[]>()
  /** Types whose policy looks at what is changed. */
  const looking = new Map<ResourceType, boolean>()
  /** Writes of linkage whose result the requester may not see. */
  const unseen = new WeakSet<Operation>()
  const admit = async (
    allowed: unknown,
    policy: Policy | undefined,
    operation: Operation,
    subject: unknown,
  ): Promise<undefined> => {
    const { target, context, kind } = operation
    if (!(await allowed)) throw denial(context.principal, kind)
    if (kind === 'Update') await checkEmbedded(policy, operation, subject)
    if (!isRelationshipWrite(kind)) return
    const readable = await decide(policy, readAbilityFor(target.relation as Relation), context, subject)
    if (!readable) unseen.add(operation)
  }
  return {
    name: 'authorization',
    keys: ['policy', 'abilities'],
    modifiers: {
      relation: {
        security: (_, security: RelationSecurity) => ({ options: { security }, guarded: security.read !== undefined }),
      },
    },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const { policy: PolicyOfType } = type.declaration
        if (PolicyOfType) policies.set(type, new PolicyOfType())
        checkPolicy(type, policies.get(type), registry)
        if (type.relations.some(({ guarded }) => guarded)) type.needs = [...type.needs, ...needsOf(type)]
      }
    },

    onQuery({ target: { kind, type } }, query) {
      if (kind !== 'collection') need(query, type, remember(needs, type, needsOf))
    },

    joins: (type, moment) =>
      moment === 'onRelation' ? type.relations.some(({ guarded }) => guarded) : policies.has(type),

    scope(type, context) {
      const seen = decide(policies.get(type), abilityOf(type, 'FetchCollection'), context, undefined, true)
      return isThenable(seen) ? Promise.resolve(seen).then(toScope) : toScope(seen)
    },

    takesEntity: (type) => remember(looking, type, () => looksAtSubject(policies.get(type), type)),

    onSubject(operation, subject) {
      const { target, context, kind } = operation
      const policy = policies.get(target.type)
      const ofType = kind === 'FetchCollection' || kind === 'Create'
      const allowed = decide(policy, abilityFor(operation), context, ofType ? undefined : subject)
      if (isWrite(kind) || isThenable(allowed)) return admit(allowed, policy, operation, subject)
      if (!allowed) throw denial(context.principal, kind)
      return undefined
    },

    onRelation(load) {
      const { owner, options } = load.relation
      const ability = options.security?.read
      return ability === undefined ? undefined : leaveOut(load, policies.get(owner), ability)
    },

    async onCommit(operation) {
      return unseen.has(operation) ? { kind: 'none', status: 204 } : undefined
    },

    describe: describePolicies,
  }
}

/** A refusal to list hides no row: only a filter does. */
function toScope(seen: unknown): Condition | undefined {
  return typeof seen === 'object' && seen !== null ? native(seen) : undefined
}

/** A relation that has an ability of its own asks it also where it is changed with its resource. */
async function checkEmbedded(policy: Policy | undefined, operation: Operation, subject: unknown): Promise<void> {
  const { context, input } = operation
  for (const { relation } of input?.linkage ?? []) {
    const ability = relation.options.security?.mutate
    if (ability === undefined || !isWritable(relation, operation)) continue
    if (!(await decide(policy, ability, context, subject)))
      throw denial(context.principal, `A change of '${relation.name}'`)
  }
}

/** Parents that may not show what the relation leads to. */
async function leaveOut(load: RelationLoad, policy: Policy | undefined, ability: string): Promise<void> {
  const { parents, context } = load
  const seen = await Promise.all(parents.map((parent) => decide(policy, ability, context, parent)))
  if (!seen.every(Boolean)) load.parents = parents.filter((_, index) => seen[index])
}

/** What a policy reads of its subject. */
function needsOf(type: ResourceType): readonly string[] {
  const { policy } = type.declaration
  return policy ? (policy.needs ?? wholeRow(type)) : []
}
