import { QueryPlan } from '#app/kernel/data/query-plan.ts'
import { PlanCache } from '#app/kernel/plan/plan-cache.ts'
import type { App } from '#kernel/plugin'

/** The number of objects that were frozen, and a function that ends it. */
export interface FrozenPlans {
  readonly count: number
  end(): void
}

/**
 * Freezes the plans of applications deeply, with all parts that they keep: a request that changes one fails with a TypeError. Maps and
 * sets cannot be frozen: their methods that change them throw.
 */
export function freezePlans(...apps: readonly App[]): FrozenPlans {
  const { keep } = QueryPlan.prototype
  const { ofQuery } = PlanCache.prototype
  const seen = new Set<object>(apps.flatMap((app) => [app, ...app.servers, ...declaredObjects(app)]))
  const initial = seen.size
  const freeze = <Value>(value: Value): Value => {
    freezeDeeply(value, seen)
    return value
  }
  QueryPlan.prototype.keep = function (part, value) {
    return keep.call(this, part, freeze(value)) as typeof value
  }
  PlanCache.prototype.ofQuery = function (...args) {
    return freeze(ofQuery.apply(this, args))
  }
  return {
    get count() {
      return seen.size - initial
    },
    end() {
      QueryPlan.prototype.keep = keep
      PlanCache.prototype.ofQuery = ofQuery
    },
  }
}

/** Types and fields belong to the application, not to a plan. */
function declaredObjects({ registry, store }: App): object[] {
  const types = [...registry.types.values()]
  const fields = types.flatMap((type) => [
    ...type.fields.values(),
    ...type.attributes,
    ...type.relations.flatMap((relation) => [relation, ...relation.pivotFields]),
  ])
  return [store, ...types, ...fields, ...types.map(({ provider }) => provider)]
}

function freezeDeeply(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  const isCollection = value instanceof Map || value instanceof Set
  const isRecord = [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value))
  if (!isCollection && !isRecord && !(value instanceof QueryPlan)) return
  seen.add(value)
  if (isCollection) {
    for (const method of ['set', 'add', 'delete', 'clear']) Object.defineProperty(value, method, { value: refuse })
    for (const entry of value.entries()) for (const part of entry) freezeDeeply(part, seen)
  }
  for (const member of Object.values(value)) freezeDeeply(member, seen)
  if (isRecord) Object.freeze(value)
}

function refuse(): never {
  throw new TypeError('A plan is changed after it was made.')
}
