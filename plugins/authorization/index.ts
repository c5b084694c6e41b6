import Joi from 'joi'
import {
  addNeeds,
  type Context,
  denial,
  isThenable,
  isWrite,
  loadRecords,
  type MemberWrite,
  type Operation,
  type OperationKind,
  type Plugin,
  type Relation,
  type RelationLoad,
  type ResourceType,
  type TypeHook,
} from '#kernel/plugin'
import { Authorizer } from './authorizer.ts'
import { checkPolicy } from './checks.ts'
import { abilityFor, abilityOf, readAbilityFor } from './decide.ts'
import { describePolicies } from './describe.ts'
import { openTypeWarnings, refuseOpenTypes } from './open-types.ts'
import {
  type Abilities,
  type open,
  type Policy,
  type PolicyClass,
  policyClassOf,
  type RelationSecurity,
} from './policy.ts'
import { needsOf } from './rows.ts'

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
  interface ResourceWords<Entity> {
    /** Who may do what with this type, and which of its rows exist for them; `open` is everyone and all of them. */
    readonly policy?: PolicyClass<NoInfer<Entity>> | typeof open
    /** Another method of the policy for an operation; false asks none, true only documents that it is secured. */
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
  const authorizer = new Authorizer()
  /** Relationship writes whose result the requester may not see. */
  const unreadable = new WeakSet<Operation>()

  return {
    name: 'authorization',
    environment: { ALLOW_OPEN_TYPES: Joi.boolean().default(false) },
    keys: ['policy', 'abilities'],
    modifiers: {
      relation: {
        security: (_, security: RelationSecurity) => ({ options: { security }, guarded: security.read !== undefined }),
      },
    },

    onCompile(registry) {
      for (const type of registry.types.values()) {
        const PolicyOfType = policyClassOf(type.declaration)
        const policy = typeof PolicyOfType === 'function' ? new PolicyOfType() : undefined
        checkPolicy(type, policy, registry)
        if (!policy) continue
        authorizer.add(type, policy)
        type.leavesOutRows = viewNeedsRow(type) && PolicyOfType?.rowsByView === true
        type.needs = [...type.needs, ...needsOfEveryRecord(type)]
        type.linkNeeds = [...type.linkNeeds, ...needsOf(type, linkAbility(type, policy))]
      }
    },

    warnings: openTypeWarnings,

    setup: refuseOpenTypes,

    onQuery({ kind, target: { type, relation } }, query) {
      for (const ability of abilitiesOn(kind, type, relation)) addNeeds(query, type, needsOf(type, ability))
    },

    appliesTo: (type, hook) => takesPart(type, hook, authorizer.policyOf(type)),

    scope: (type, context) => authorizer.scope(type, context),

    showsType: (type, context) => authorizer.allows(type, abilityOf(type, 'FetchOne'), context),

    filterRows: (type, rows, context) => authorizer.allowsRows(type, abilityOf(type, 'FetchOne'), context, rows),

    onSubjectLoaded(operation, subject) {
      const { context, kind } = operation
      const allowed = authorizer.allowsOperation(operation, subject)
      if (isWrite(kind) || isThenable(allowed)) return authorizeWrite(operation, subject, Promise.resolve(allowed))
      if (!allowed) throw denial(context.principal, kind)
      return undefined
    },

    async onMembers(type, writes) {
      for (const [kind, some] of Map.groupBy(writes, ({ operation }) => operation.kind)) {
        const [{ operation, relations }] = some as [MemberWrite]
        const rows = some.map(({ entity }) => entity)
        const further = kind === 'Update' ? mutateAbilities(relations) : []
        for (const ability of [abilityOf(type, kind), ...further]) await demand(operation.context, type, ability, rows)
      }
    },

    async onLink({ context }, type, rows, relations) {
      for (const ability of [linkAbility(type, authorizer.policyOf(type)), ...mutateAbilities(relations)]) {
        const needsRow = needsOf(type, ability).length > 0
        if (!needsRow && (await authorizer.allows(type, ability, context))) continue
        await demand(context, type, ability, await rows())
      }
    },

    writeScope: (type, context) => authorizer.scope(type, context),

    async onRowsWritten({ context }, type, keys) {
      const records = await loadRecords(type, keys, needsOf(type, 'check'), context)
      const written = records.filter((record) => record !== null)
      if (written.length < records.length) throw denial(context.principal, `A row of ${type.name} that cannot be read`)
      await demand(context, type, 'check', written)
    },

    beforeRelationLoad(load) {
      const ability = load.relation.options.security?.read
      return ability === undefined ? undefined : leaveOutParents(load, ability)
    },

    async afterCommit(operation) {
      return unreadable.has(operation) ? { kind: 'none', status: 204 } : undefined
    },

    describe: describePolicies,
  }

  /** Refuses the operation unless the ability allows every row. */
  async function demand(context: Context, type: ResourceType, ability: string | null, rows: readonly object[]) {
    const answers = await authorizer.allowsRows(type, ability, context, rows)
    if (!answers.every(Boolean)) throw denial(context.principal, `This change of ${type.name}`)
  }

  async function authorizeWrite(operation: Operation, subject: object | null, allowed: Promise<boolean>) {
    const { context, kind } = operation
    if (!(await allowed)) throw denial(context.principal, kind)
    if (!subject) return undefined
    if (kind === 'Update') await authorizer.checkEmbeddedRelations(operation, subject)
    if (!(await authorizer.showsResult(operation, subject))) unreadable.add(operation)
    return undefined
  }

  /** Parents that may not show the relation are left out of its load. */
  async function leaveOutParents(load: RelationLoad, ability: string): Promise<void> {
    const { parents, context, relation } = load
    const shown = await authorizer.allowsRows(relation.owner, ability, context, parents)
    if (!shown.every(Boolean)) load.parents = parents.filter((_, index) => shown[index])
  }
}

/** What is asked when only the membership of a row changes. */
function linkAbility(type: ResourceType, policy: Policy | undefined): string | null {
  return policy?.linkable ? 'linkable' : abilityOf(type, 'Update')
}

/** What relations ask for changes of their own: a write from their other side must not go around it. */
function mutateAbilities(relations: readonly Relation[]): readonly string[] {
  return relations.flatMap(({ options }) => options.security?.mutate ?? [])
}

/** Hooks without work for a type are not called for it. */
function takesPart(type: ResourceType, hook: TypeHook, policy: Policy | undefined): boolean {
  if (!policy) return false
  const readAbility = abilityOf(type, 'FetchOne')
  switch (hook) {
    case 'scope':
      return policy.scope !== undefined
    case 'writeScope':
      return policy.scope !== undefined && policyClassOf(type.declaration)?.writesOutsideScope !== true
    case 'showsType':
      return readAbility !== null && !viewNeedsRow(type)
    case 'filterRows':
      return viewNeedsRow(type)
    case 'onRowsWritten':
      return policy.check !== undefined
    case 'onLink':
      return linkAbility(type, policy) !== null || mutateAbilities(type.relations).length > 0
    case 'beforeRelationLoad':
      return type.relations.some(({ guarded }) => guarded)
    default:
      return true
  }
}

/** Whether the ability to view a resource depends on its row. */
function viewNeedsRow(type: ResourceType): boolean {
  return needsOf(type, abilityOf(type, 'FetchOne')).length > 0
}

/** What is read of every record: by `view` where it depends on the row, and by the read abilities of relations. */
function needsOfEveryRecord(type: ResourceType): readonly string[] {
  const ofRelations = type.relations.flatMap(({ options }) => options.security?.read ?? [])
  return [abilityOf(type, 'FetchOne'), ...ofRelations].flatMap((ability) => needsOf(type, ability))
}

/** The abilities an operation may ask about its subject. */
function abilitiesOn(
  kind: OperationKind,
  type: ResourceType,
  relation: Relation | undefined,
): readonly (string | null)[] {
  if (kind === 'FetchCollection' || kind === 'Create') return []
  const own = abilityFor(kind, type, relation)
  if (relation) return isWrite(kind) ? [own, readAbilityFor(relation)] : [own]
  const embedded = type.relations.flatMap(({ options }) => options.security?.mutate ?? [])
  return kind === 'Update' ? [own, ...embedded] : [own]
}
