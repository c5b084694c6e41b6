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
  type Plugin,
  type RelationLoad,
  type ResourceType,
  type TypeHook,
} from '#kernel/plugin'
import { abilityOf, linkAbility, mutateAbilities, recordAbilities, subjectAbilities } from './abilities.ts'
import { Authorizer } from './authorizer.ts'
import { checkPolicy } from './checks.ts'
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
    /** Authorizes reads and writes of the type and limits its visible rows. `open` allows every caller everything. */
    readonly policy?: PolicyClass<NoInfer<Entity>> | typeof open
    /** Another policy method per operation; `false` skips the check, `true` skips it and documents it as secured. */
    readonly abilities?: Abilities
  }
  interface RelationWords<Entity> {
    /** Policy methods of this type that replace `view` and `update` for the relation. They receive the parent row. */
    security(abilities: RelationSecurity): this
  }
  interface FieldOptions {
    security?: RelationSecurity
  }
}

/** Calls the policy of a type before rows are shown or changed, and adds its scope to every statement. */
export function authorization(): Plugin {
  const authorizer = new Authorizer()
  /** Relationship writes that the caller may perform, but whose result the caller may not read. */
  const hiddenResults = new WeakSet<Operation>()

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
        type.checksEachRow = needsOf(type, abilityOf(type, 'FetchOne')).length > 0
        type.leavesOutRows = type.checksEachRow && PolicyOfType?.rowsByView === true
        type.needs = [...type.needs, ...recordAbilities(type).flatMap((ability) => needsOf(type, ability))]
        type.linkNeeds = [...type.linkNeeds, ...needsOf(type, linkAbility(type, policy))]
      }
    },

    warnings: openTypeWarnings,

    setup: refuseOpenTypes,

    onQuery({ kind, target: { type, relation } }, query) {
      for (const ability of subjectAbilities(kind, type, relation)) addNeeds(query, type, needsOf(type, ability))
    },

    appliesTo: (type, hook) => appliesToType(type, hook, authorizer.policyOf(type)),

    scope: (type, context) => authorizer.scope(type, context),

    showsType: (type, context) => authorizer.allows(type, abilityOf(type, 'FetchOne'), context),

    filterRows: (type, rows, context) => authorizer.allowsRows(type, abilityOf(type, 'FetchOne'), context, rows),

    onSubjectLoaded(operation, subject) {
      const { context, kind } = operation
      const allowed = authorizer.allowsOperation(operation, subject)
      if (isWrite(kind) || isThenable(allowed)) return authorizeSubject(operation, subject, Promise.resolve(allowed))
      if (!allowed) throw denial(context.principal, kind)
      return undefined
    },

    /** Requires the policy of each member row that the write changes, not only that of the parent. */
    async onMembers(type, writes) {
      for (const [kind, sameKind] of Map.groupBy(writes, ({ operation }) => operation.kind)) {
        const [{ operation, relations }] = sameKind as [MemberWrite]
        const rows = sameKind.map(({ entity }) => entity)
        const abilities = [abilityOf(type, kind), ...(kind === 'Update' ? mutateAbilities(relations) : [])]
        for (const ability of abilities) await requireAbility(operation.context, type, ability, rows)
      }
    },

    /** Requires the policy of each row that joins or leaves a many-to-many. Loads rows only if an ability reads them. */
    async onLink({ context }, type, rows, relations) {
      for (const ability of [linkAbility(type, authorizer.policyOf(type)), ...mutateAbilities(relations)]) {
        const readsRow = needsOf(type, ability).length > 0
        if (!readsRow && (await authorizer.allows(type, ability, context))) continue
        await requireAbility(context, type, ability, await rows())
      }
    },

    writeScope: (type, context) => authorizer.scope(type, context),

    async onRowsWritten({ context }, type, keys) {
      const records = await loadRecords(type, keys, needsOf(type, 'check'), context)
      const written = records.filter((record) => record !== null)
      if (written.length < records.length) throw denial(context.principal, `A row of ${type.name} that cannot be read`)
      await requireAbility(context, type, 'check', written)
    },

    beforeRelationLoad(load) {
      const ability = load.relation.options.security?.read
      return ability === undefined ? undefined : excludeDeniedParents(load, ability)
    },

    async afterCommit(operation) {
      return hiddenResults.has(operation) ? { kind: 'none', status: 204 } : undefined
    },

    describe: describePolicies,
  }

  /** Throws 401 or 403 unless the ability allows every row. */
  async function requireAbility(context: Context, type: ResourceType, ability: string | null, rows: readonly object[]) {
    const answers = await authorizer.allowsRows(type, ability, context, rows)
    if (!answers.every(Boolean)) throw denial(context.principal, `This change of ${type.name}`)
  }

  /** Throws 401 or 403 unless the operation, and every relation it changes, is allowed on the subject. */
  async function authorizeSubject(operation: Operation, subject: object | null, allowed: Promise<boolean>) {
    const { context, kind } = operation
    if (!(await allowed)) throw denial(context.principal, kind)
    if (!subject) return undefined
    if (kind === 'Update') await authorizer.requireRelationChanges(operation, subject)
    if (!(await authorizer.allowsReadingResult(operation, subject))) hiddenResults.add(operation)
    return undefined
  }

  /** Removes the parents whose linkage the caller may not read, so that the relation is not loaded for them. */
  async function excludeDeniedParents(load: RelationLoad, ability: string): Promise<void> {
    const { parents, context, relation } = load
    const allowed = await authorizer.allowsRows(relation.owner, ability, context, parents)
    if (!allowed.every(Boolean)) load.parents = parents.filter((_, index) => allowed[index])
  }
}

/** Returns false for hooks that would allow everything, so that the kernel does not call them for the type. */
function appliesToType(type: ResourceType, hook: TypeHook, policy: Policy | undefined): boolean {
  if (!policy) return false
  switch (hook) {
    case 'scope':
      return policy.scope !== undefined
    case 'writeScope':
      return policy.scope !== undefined && policyClassOf(type.declaration)?.writesOutsideScope !== true
    case 'showsType':
      return abilityOf(type, 'FetchOne') !== null && !type.checksEachRow
    case 'filterRows':
      return type.checksEachRow
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
