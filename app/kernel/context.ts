import type { App } from './app.ts'
import { all, type Condition, never } from './condition.ts'
import { DocumentBudget } from './document-budget.ts'
import { Graph } from './graph.ts'
import type { Awaitable, Plugin } from './plugin.ts'
import type { Principal } from './principal.ts'
import type { Unit } from './provider.ts'
import type { ApiRequest } from './request.ts'
import type { ResourceType } from './resource.ts'
import { RowChanges } from './row-changes.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Server } from './server.ts'
import { isThenable } from './thenable.ts'

/** Who asks, through which door. */
export interface Origin {
  readonly server: Server
  /** Null when the operation was dispatched by the program itself. */
  readonly request: ApiRequest | null
  /** Null is anonymous. */
  readonly principal: Principal | null
  /** A trusted caller is not asked for its rights. */
  readonly trusted: boolean
}

/** The origin of an HTTP request. Reads the state and not `request.principal`, which would mark the answer. */
export function originOf(request: ApiRequest): Origin {
  const { server, ctx } = request
  return { server, request, principal: ctx.state.principal ?? null, trusted: false }
}

/** What every operation carries. */
export interface Context extends Origin {
  readonly app: App
  readonly unit: Unit
  /** Other operations share the unit: the answer of this one is a part of theirs. */
  readonly batch: boolean
  readonly graph: Graph
  /** What the document of the response may still hold. */
  readonly budget: DocumentBudget
  /** The rows this operation has written. */
  readonly rowChanges: RowChanges
  /** The condition under which a row exists for this requester; undefined when all rows do. Computed once per type. */
  scope(type: ResourceType): Awaitable<Condition | undefined>
  /** The same for rows that are shown anywhere but at their own URL: none if the requester may not view the type. */
  visibleScope(type: ResourceType): Awaitable<Condition | undefined>
  /** The condition that a row must meet after this requester has written it. */
  writeScope(type: ResourceType): Awaitable<Condition | undefined>
}

type ScopeName = 'scope' | 'visibleScope' | 'writeScope'
type Scope = Awaitable<Condition | undefined>

/** `batchBudget` is the budget that the operations of a batch share. */
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
      const plugins = app.joining('scope', type)
      if (plugins.length === 0 && type.declaration.scope === undefined) return undefined
      return once('scope', type, () => readScope(type, plugins, context))
    },
    visibleScope(type) {
      const plugins = app.joining('showsType', type)
      if (plugins.length === 0) return context.scope(type)
      return once('visibleScope', type, () => readVisibleScope(type, plugins, context))
    },
    writeScope(type) {
      const plugins = app.joining('writeScope', type)
      if (plugins.length === 0) return undefined
      return once('writeScope', type, () => joinScopes(plugins.map((plugin) => plugin.writeScope?.(type, context))))
    },
  }
  return context
}

/** The context for a read that must see every row, whatever the requester may see; nothing of it is shown. */
export function unscoped(context: Context): Context {
  return { ...context, scope: () => undefined, visibleScope: () => undefined }
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

/** All of the conditions, without a promise where none of them is one. */
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
