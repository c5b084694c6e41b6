import { type Awaitable, isThenable } from '../lib/awaitable.ts'
import type { App } from '../model/app.ts'
import { all, type Condition, never } from '../model/condition.ts'
import { type Context, type Origin, RowChanges } from '../model/context.ts'
import { scopeCondition } from '../model/filter-to-condition.ts'
import { Graph } from '../model/graph.ts'
import { DocumentBudget } from '../model/limits.ts'
import type { Plugin } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Unit } from '../model/store.ts'

type ScopeName = 'scope' | 'visibleScope' | 'writeScope'
type Scope = Awaitable<Condition | undefined>

/** The operations of a batch share `batchBudget`. Scopes are computed once per type. */
export function createContext(app: App, origin: Origin, unit: Unit, batchBudget?: DocumentBudget): Context {
  const { server, request, principal, trusted } = origin
  const cached: Partial<Record<ScopeName, Map<ResourceType, Scope>>> = {}
  const once = (name: ScopeName, type: ResourceType, compute: () => Scope): Scope => {
    cached[name] ??= new Map()
    const scopes = cached[name]
    if (!scopes.has(type)) scopes.set(type, compute())
    return scopes.get(type)
  }
  const context: Context = {
    server,
    request,
    principal,
    trusted,
    app,
    unit,
    batch: batchBudget !== undefined,
    graph: new Graph(),
    rowChanges: new RowChanges(),
    budget: batchBudget ?? new DocumentBudget(app.config.limits),
    scope(type) {
      const plugins = app.hooksFor('scope', type)
      if (plugins.length === 0 && type.declaration.scope === undefined) return undefined
      return once('scope', type, () => readScope(type, plugins, context))
    },
    visibleScope(type) {
      const plugins = app.hooksFor('showsType', type)
      if (plugins.length === 0) return context.scope(type)
      return once('visibleScope', type, () => readVisibleScope(type, plugins, context))
    },
    writeScope(type) {
      const plugins = app.hooksFor('writeScope', type)
      if (plugins.length === 0) return undefined
      return once('writeScope', type, () => joinScopes(plugins.map((plugin) => plugin.writeScope?.(type, context))))
    },
  }
  return context
}

function readScope(type: ResourceType, plugins: readonly Plugin[], context: Context): Scope {
  const own = type.declaration.scope?.(context.request)
  const declared = type.declaration.scope === undefined ? [] : [mapAwaitable(own, scopeCondition)]
  return joinScopes([...declared, ...plugins.map((plugin) => plugin.scope?.(type, context))])
}

function readVisibleScope(type: ResourceType, plugins: readonly Plugin[], context: Context): Scope {
  const answers = awaitAll(plugins.map((plugin) => plugin.showsType?.(type, context)))
  return mapAwaitable(answers, (shown) => (shown.every((answer) => answer === true) ? context.scope(type) : never))
}

/** Joins the conditions by `and`; synchronous if none of them is a promise. */
function joinScopes(scopes: readonly Scope[]): Scope {
  return mapAwaitable(awaitAll(scopes), (resolved) => {
    const conditions = resolved.filter((condition) => condition !== undefined)
    return conditions.length > 1 ? all(...conditions) : conditions[0]
  })
}

function awaitAll<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some(isThenable) ? Promise.all(values) : (values as readonly T[])
}

function mapAwaitable<T, U>(value: Awaitable<T>, map: (value: T) => Awaitable<U>): Awaitable<U> {
  return isThenable(value) ? Promise.resolve(value).then(map) : map(value as T)
}
