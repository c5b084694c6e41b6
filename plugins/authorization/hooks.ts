import {
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
  type Stages,
} from '#kernel/plugin'
import { abilityFor, abilityOf, linkAbility, mutateAbilities } from './abilities.ts'
import type { Authorizer } from './authorizer.ts'
import { needsOf } from './rows.ts'

/** Hooks that keep denied rows, types and linkage out of every response. */
export function readHooks(
  authorizer: Authorizer,
): Pick<Plugin, 'scope' | 'showsType' | 'filterRows' | 'beforeRelationLoad' | 'allows'> {
  return {
    scope: (type, context) => authorizer.scope(type, context),

    showsType: (type, context) => authorizer.allows(type, abilityOf(type, 'FetchOne'), context),

    filterRows: (type, rows, context) => authorizer.allowsRows(type, abilityOf(type, 'FetchOne'), context, rows),

    allows: async (type, ability, rows, context) =>
      rows
        ? authorizer.allowsEach(type, ability, context, rows)
        : [await authorizer.allowsOfType(type, ability, context)],

    beforeRelationLoad(load) {
      const ability = load.relation.options.security?.read
      return ability === undefined ? undefined : excludeDeniedParents(load, ability, authorizer)
    },
  }
}

/** Removes the parents whose linkage the caller may not read, so that the relation is not loaded for them. */
async function excludeDeniedParents(load: RelationLoad, ability: string, authorizer: Authorizer): Promise<void> {
  const { parents, context, relation } = load
  const allowed = await authorizer.allowsRows(relation.owner, ability, context, parents)
  if (!allowed.every(Boolean)) load.parents = parents.filter((_, index) => allowed[index])
}

/** The step that authorizes an operation on its subject. A relationship write with an unreadable result returns 204. */
export function subjectCheck(authorizer: Authorizer): Stages['check'] {
  return (operation, subject) => {
    const { context, kind, target } = operation
    const allowed = authorizer.allowsOperation(operation, subject)
    if (isWrite(kind) || isThenable(allowed)) return authorizeSubject(operation, subject, Promise.resolve(allowed))
    if (!allowed) throw authorizer.denial(kind, target.type, abilityFor(kind, target), context)
    return undefined
  }

  /** Throws 401 or 403 unless the operation, and every relation it changes, is allowed on the subject. */
  async function authorizeSubject(operation: Operation, subject: object | null, allowed: Promise<boolean>) {
    const { context, kind, target } = operation
    if (!(await allowed)) throw authorizer.denial(kind, target.type, abilityFor(kind, target), context)
    if (!subject) return undefined
    if (kind === 'Update') await authorizer.requireRelationChanges(operation, subject)
    if (!(await authorizer.allowsReadingResult(operation, subject))) operation.hidesResult = true
    return undefined
  }
}

/** Hooks that authorize the rows of other types that a write changes, and every written row in its final state. */
export function writeHooks(
  authorizer: Authorizer,
): Pick<Plugin, 'onMembers' | 'onLink' | 'writeScope' | 'onRowsWritten'> {
  return {
    /** Requires the policy of each member row that the write changes, not only that of the parent. */
    async onMembers(type, writes) {
      for (const [kind, sameKind] of Map.groupBy(writes, ({ operation }) => operation.kind)) {
        const [{ operation, relations }] = sameKind as [MemberWrite]
        const rows = sameKind.map(({ entity }) => entity)
        const abilities = [abilityFor(kind, { type }), ...(kind === 'Update' ? mutateAbilities(relations) : [])]
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

    /** Requires `check` on every written row. A row that cannot be read back is denied. */
    async onRowsWritten({ context }, type, keys) {
      const records = await loadRecords(type, keys, needsOf(type, 'check'), context)
      const written = records.filter((record) => record !== null)
      if (written.length < records.length) throw denial(context.principal, `A row of ${type.name} that cannot be read`)
      await requireAbility(context, type, 'check', written)
    },
  }

  /** Throws 401 or 403 unless the ability allows every row. */
  async function requireAbility(context: Context, type: ResourceType, ability: string | null, rows: readonly object[]) {
    const answers = await authorizer.allowsRows(type, ability, context, rows)
    if (!answers.every(Boolean)) throw authorizer.denial(`This change of ${type.name}`, type, ability, context)
  }
}
