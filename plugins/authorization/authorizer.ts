import { isWritable } from '#kernel/operations'
import {
  type Awaitable,
  type Context,
  denial,
  getOrCreate,
  isRelationshipWrite,
  isThenable,
  type Operation,
  type Relation,
  type ResourceType,
} from '#kernel/plugin'
import { type Condition, scopeCondition } from '#kernel/queries'
import { linkageReadAbility } from './abilities.ts'
import { contextWithInput, decide, markResponseVaries } from './decide.ts'
import { type Policy, type PolicyContext, policyMethod } from './policy.ts'
import { listNeeds, toPolicyRows } from './rows.ts'

type Scope = Awaitable<Condition | undefined>

declare module '#kernel/plugin' {
  interface ResourceType {
    /** Its policy. Undefined if it is open. Set in `onCompile`. */
    policy?: Policy
  }
}

export function policyOf({ policy }: ResourceType): Policy | undefined {
  return policy
}

/** Evaluates policies. Every method denies unless a policy explicitly allows. */
export class Authorizer {
  readonly #scopes = new WeakMap<Context, Map<ResourceType, Scope>>()

  /** Returns the filter of rows visible to the requester; undefined if all are. Calls the policy once per operation. */
  scope(type: ResourceType, context: Context): Scope {
    if (context.trusted) return undefined
    markResponseVaries(context)
    const scopes = getOrCreate(this.#scopes, context, () => new Map<ResourceType, Scope>())
    if (!scopes.has(type)) scopes.set(type, this.#callScope(type, context))
    return scopes.get(type)
  }

  #callScope(type: ResourceType, context: Context): Scope {
    const answer = type.policy?.scope?.(context.principal, context)
    const declaredBy = policyMethod(type, 'scope')
    if (!isThenable(answer)) return scopeCondition(answer, declaredBy)
    return Promise.resolve(answer).then((filter) => scopeCondition(filter, declaredBy))
  }

  /** Decides an ability of rows that reads none of their columns: the method gets undefined instead of a row. */
  allows(type: ResourceType, ability: string | null, context: PolicyContext): Awaitable<boolean> {
    return decide(type.policy, ability, context, [undefined])
  }

  /** Decides an ability on one row, given as a record or an entity. Denies if the row no longer exists, or was not read. */
  allowsRow(
    type: ResourceType,
    ability: string | null,
    context: PolicyContext,
    source: object | null,
  ): Awaitable<boolean> {
    if (ability === null || context.trusted) return true
    if (listNeeds(type, ability).length === 0) return this.allows(type, ability, context)
    if (source === null) return false
    const rows = toPolicyRows(type, [source], ability, context)
    if (rows instanceof Promise) return rows.then(([row]) => this.#decideRow(type, ability, context, row))
    return this.#decideRow(type, ability, context, rows[0])
  }

  /**
   * Decides an ability on each row, in the order given; once for all rows if it reads none. Without rows the method has no
   * row parameter, like `viewAny`, and there is one decision.
   */
  allowsEach(
    type: ResourceType,
    ability: string,
    context: Context,
    rows: readonly object[] | null,
  ): Awaitable<readonly boolean[]> {
    if (rows && listNeeds(type, ability).length > 0) return this.allowsRows(type, ability, context, rows)
    const allowed = decide(type.policy, ability, context, rows ? [undefined] : [])
    const count = rows ? rows.length : 1
    if (allowed instanceof Promise) return allowed.then((answer) => new Array<boolean>(count).fill(answer))
    return new Array<boolean>(count).fill(allowed)
  }

  /** Decides an ability on each row, in the order given. Loads missing columns with one statement, to avoid N+1. */
  async allowsRows(
    type: ResourceType,
    ability: string | null,
    context: PolicyContext,
    sources: readonly object[],
  ): Promise<readonly boolean[]> {
    if (ability === null || context.trusted) return sources.map(() => true)
    const rows = await toPolicyRows(type, sources, ability, context)
    return Promise.all(rows.map((row) => this.#decideRow(type, ability, context, row)))
  }

  #decideRow(type: ResourceType, ability: string, context: PolicyContext, row: unknown): Awaitable<boolean> {
    return row !== null && decide(type.policy, ability, context, [row])
  }

  /** Decides the ability of an operation on its subject; a collection read has none, a create has its input. */
  allowsOperation(operation: Operation, ability: string | null, subject: object | null): Awaitable<boolean> {
    const { kind, target } = operation
    const type: ResourceType = target.type
    const context = contextWithInput(operation)
    if (kind === 'FetchCollection' || target.action?.on === 'collection')
      return decide(type.policy, ability, context, [])
    if (kind === 'Create') return decide(type.policy, ability, context, [context.input])
    return this.allowsRow(type, ability, context, subject)
  }

  /** Returns the 401 or 403 of an ability; in debug mode it names the method that did not allow the action. */
  denial(action: string, type: ResourceType, ability: string | null, { principal }: Context): Error {
    const deciding = type.policy?.before ? ['before', ability] : [ability]
    const methods = deciding.flatMap((name) => (name === null ? [] : policyMethod(type, name)))
    return denial(principal, action, `${methods.join(' or ')} did not return true.`)
  }

  /** Throws 401 or 403 if a resource update changes a relation whose `security({ mutate })` ability denies it. */
  async requireRelationChanges(operation: Operation, subject: object | null): Promise<void> {
    const { target, input } = operation
    const context = contextWithInput(operation)
    for (const { relation } of input?.linkage ?? []) {
      const ability = relation.options.security?.mutate
      if (ability === undefined || !isWritable(relation, operation)) continue
      if (await this.allowsRow(target.type, ability, context, subject)) continue
      throw this.denial(`A change of '${relation.name}'`, target.type, ability, context)
    }
  }

  /** Decides whether the requester may read the relation that a relationship write changed; true for other operations. */
  async allowsReadingResult({ kind, target, context }: Operation, subject: object | null): Promise<boolean> {
    if (!isRelationshipWrite(kind)) return true
    return this.allowsRow(target.type, linkageReadAbility(target.relation as Relation), context, subject)
  }
}
