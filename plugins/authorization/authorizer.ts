import {
  type Awaitable,
  type Condition,
  type Context,
  denial,
  getOrCreate,
  isRelationshipWrite,
  isThenable,
  isWritable,
  type Operation,
  type Relation,
  type ResourceType,
  scopeCondition,
} from '#kernel/plugin'
import { abilityFor, contextWithInput, decide, markVaries, readAbilityFor } from './decide.ts'
import type { Policy, PolicyContext } from './policy.ts'
import { toPolicyRows } from './rows.ts'

/** Puts operations, rows and relations before the policies of their types. */
export class Authorizer {
  readonly #policies = new Map<ResourceType, Policy>()
  readonly #scopes = new WeakMap<Context, Map<ResourceType, Awaitable<Condition | undefined>>>()

  add(type: ResourceType, policy: Policy): void {
    this.#policies.set(type, policy)
  }

  policyOf(type: ResourceType): Policy | undefined {
    return this.#policies.get(type)
  }

  /** The rows that exist for the requester; the policy is called once per operation. */
  scope(type: ResourceType, context: Context): Awaitable<Condition | undefined> {
    if (context.trusted) return undefined
    markVaries(context)
    const scopes = getOrCreate(this.#scopes, context, () => new Map<ResourceType, Awaitable<Condition | undefined>>())
    if (!scopes.has(type)) scopes.set(type, this.#readScope(type, context))
    return scopes.get(type)
  }

  #readScope(type: ResourceType, context: Context): Awaitable<Condition | undefined> {
    const answer = this.#policies.get(type)?.scope?.(context.principal, context)
    return isThenable(answer) ? Promise.resolve(answer).then(scopeCondition) : scopeCondition(answer)
  }

  /** An ability that needs no row. */
  allows(type: ResourceType, ability: string | null, context: PolicyContext): Awaitable<boolean> {
    return decide(this.#policies.get(type), ability, context, [undefined])
  }

  /** An ability on a row, which is a record or an entity. */
  allowsRow(type: ResourceType, ability: string | null, context: PolicyContext, source: object): Awaitable<boolean> {
    if (ability === null || context.trusted) return true
    const rows = toPolicyRows(type, [source], ability, context)
    if (isThenable(rows)) return Promise.resolve(rows).then(([row]) => this.#decideRow(type, ability, context, row))
    return this.#decideRow(type, ability, context, rows[0])
  }

  /** The same for many rows, in their order; what the policy needs of them is loaded by one statement at most. */
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

  /** A row that is null does not exist any more: denied. */
  #decideRow(type: ResourceType, ability: string, context: PolicyContext, row: unknown): Awaitable<boolean> {
    return row !== null && decide(this.#policies.get(type), ability, context, [row])
  }

  /** The ability of an operation, on the row it is about. */
  allowsOperation(operation: Operation, subject: object | null): Awaitable<boolean> {
    const { kind, target } = operation
    const { type, relation } = target
    const ability = abilityFor(kind, type, relation)
    const context = contextWithInput(operation)
    if (kind === 'FetchCollection') return decide(this.#policies.get(type), ability, context, [])
    if (kind === 'Create') return decide(this.#policies.get(type), ability, context, [context.input])
    return this.allowsRow(type, ability, context, subject as object)
  }

  /** Refuses an update that changes a relation whose own ability denies it. */
  async checkEmbeddedRelations(operation: Operation, subject: object): Promise<void> {
    const { target, input } = operation
    const context = contextWithInput(operation)
    for (const { relation } of input?.linkage ?? []) {
      const ability = relation.options.security?.mutate
      if (ability === undefined || !isWritable(relation, operation)) continue
      if (await this.allowsRow(target.type, ability, context, subject)) continue
      throw denial(context.principal, `A change of '${relation.name}'`)
    }
  }

  /** Whether the requester may read the relation that a relationship write changes. */
  async showsResult({ kind, target, context }: Operation, subject: object): Promise<boolean> {
    if (!isRelationshipWrite(kind)) return true
    return this.allowsRow(target.type, readAbilityFor(target.relation as Relation), context, subject)
  }
}
