import {
  type Awaitable,
  type Context,
  denial,
  type LinksCheck,
  type MemberWrite,
  type Operation,
  type ResourceType,
  type SubjectCheck,
  type TypePlanBuilder,
} from '#kernel/plugin'
import { type Condition, loadRecords, never, type RelationLoad } from '#kernel/queries'
import { abilityFor, linkAbility, mutateAbilities, toAbility } from './abilities.ts'
import type { Authorizer } from './authorizer.ts'
import { type Policy, readPolicyClass } from './policy.ts'
import { listNeeds } from './rows.ts'

/** Adds the steps that keep denied rows, types and linkage out of every response, for a type that has a policy. */
export function planReads(authorizer: Authorizer, policy: Policy, builder: TypePlanBuilder): void {
  const { type, scope, allows, filterRows, beforeRelationLoad } = builder
  const view = toAbility(type, 'FetchOne')
  if (policy.scope) scope.push({ of: 'addressed', condition: (of, context) => authorizer.scope(of, context) })
  if (viewNeedsRow(type)) filterRows.push((of, rows, context) => authorizer.allowsRows(of, view, context, rows))
  else if (view !== null) scope.push({ of: 'visible', condition: canViewType })
  if (type.relations.some(({ hasReadAbility }) => hasReadAbility)) beforeRelationLoad.push(excludeParents)
  allows.push((of, ability, rows, context) => authorizer.allowsEach(of, ability, context, rows))

  function canViewType(of: ResourceType, context: Context): Awaitable<Condition | undefined> {
    const allowed = authorizer.allows(of, view, context)
    if (allowed instanceof Promise) return allowed.then((shows) => (shows === true ? undefined : never))
    return allowed === true ? undefined : never
  }

  function excludeParents(load: RelationLoad): Awaitable<void> {
    const ability = load.relation.options.security?.read
    return ability === undefined ? undefined : excludeDeniedParents(load, ability, authorizer)
  }
}

/** Removes the parents whose linkage the requester may not read, so that the relation is not loaded for them. */
async function excludeDeniedParents(load: RelationLoad, ability: string, authorizer: Authorizer): Promise<void> {
  const { parents, context, relation } = load
  const allowed = await authorizer.allowsRows(relation.owner, ability, context, parents)
  if (!allowed.every(Boolean)) load.parents = parents.filter((_, index) => allowed[index])
}

/**
 * The step that authorizes an operation on its subject by the ability. The subject is null if no ability reads it. A
 * relationship write with an unreadable result returns 204.
 */
export function subjectCheck(authorizer: Authorizer, ability: string | null): SubjectCheck {
  return (operation, subject) => {
    const { context, kind, target, plan } = operation
    const allowed = authorizer.allowsOperation(operation, ability, subject)
    if (plan.writes || allowed instanceof Promise) return authorizeSubject(operation, subject, Promise.resolve(allowed))
    if (!allowed) throw authorizer.denial(kind, target.type, ability, context)
    return undefined
  }

  /** Throws 401 or 403 unless the operation, and every relation it changes, is allowed on the subject. */
  async function authorizeSubject(operation: Operation, subject: object | null, allowed: Promise<boolean>) {
    const { context, kind, target } = operation
    if (!(await allowed)) throw authorizer.denial(kind, target.type, ability, context)
    if (kind === 'Update') await authorizer.requireRelationChanges(operation, subject)
    if (!(await authorizer.allowsReadingResult(operation, subject))) operation.hidesResult = true
    return undefined
  }
}

/** Adds the steps that authorize changes of rows by writes of other types, and every written row in its final state. */
export function planWrites(authorizer: Authorizer, policy: Policy, { type, scope, checkRows }: TypePlanBuilder): void {
  const linkable = linkAbility(type, policy)
  checkRows.push({ of: 'members', check: checkMembers })
  if (linkable !== null || mutateAbilities(type.relations).length > 0)
    checkRows.push({ of: 'links', check: checkLinks })
  if (policy.check) checkRows.push({ of: 'written', check: checkWritten })
  if (policy.scope && readPolicyClass(type.declaration)?.writesOutsideScope !== true)
    scope.push({ of: 'written', condition: (of, context) => authorizer.scope(of, context) })

  /** Requires the policy of each member row that the write changes, not only that of the parent. */
  async function checkMembers(_: ResourceType, writes: readonly MemberWrite[]): Promise<void> {
    for (const [kind, sameKind] of Map.groupBy(writes, ({ operation }) => operation.kind)) {
      const [{ operation, relations }] = sameKind as [MemberWrite]
      const rows = sameKind.map(({ entity }) => entity)
      const abilities = [abilityFor(kind, { type }), ...(kind === 'Update' ? mutateAbilities(relations) : [])]
      for (const ability of abilities) await requireAbility(operation.context, ability, rows)
    }
  }

  /** Requires the policy of each row that joins or leaves a many-to-many. Loads rows only if an ability reads them. */
  async function checkLinks(...[{ context }, , rows, relations]: Parameters<LinksCheck['check']>): Promise<void> {
    for (const ability of [linkable, ...mutateAbilities(relations)]) {
      const readsRow = listNeeds(type, ability).length > 0
      if (!readsRow && (await authorizer.allows(type, ability, context))) continue
      await requireAbility(context, ability, await rows())
    }
  }

  /** Requires `check` on every written row. A row that cannot be read back is denied. */
  async function checkWritten({ context }: Operation, _: ResourceType, keys: readonly unknown[]): Promise<void> {
    const records = await loadRecords(type, keys, listNeeds(type, 'check'), context)
    const written = records.filter((record) => record !== null)
    if (written.length < records.length) throw denial(context.principal, `A row of ${type.name} that cannot be read`)
    await requireAbility(context, 'check', written)
  }

  /** Throws 401 or 403 unless the ability allows every row. */
  async function requireAbility(context: Context, ability: string | null, rows: readonly object[]): Promise<void> {
    const answers = await authorizer.allowsRows(type, ability, context, rows)
    if (!answers.every(Boolean)) throw authorizer.denial(`This change of ${type.name}`, type, ability, context)
  }
}

/** Returns whether the ability to view a resource depends on its row. */
export function viewNeedsRow(type: ResourceType): boolean {
  return listNeeds(type, toAbility(type, 'FetchOne')).length > 0
}
