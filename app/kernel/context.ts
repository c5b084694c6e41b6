import type { App } from './app.ts'
import type { Condition } from './condition.ts'
import { all, native } from './condition.ts'
import { DocumentBudget } from './document-budget.ts'
import { Graph } from './graph.ts'
import type { Awaitable, Plugin } from './plugin.ts'
import type { Principal } from './principal.ts'
import type { Unit } from './provider.ts'
import type { ApiRequest } from './request.ts'
import type { ResourceType } from './resource.ts'
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

/** What every operation carries. */
export interface Context extends Origin {
  readonly app: App
  readonly unit: Unit
  /** Other operations share the unit: the answer of this one is a part of theirs. */
  readonly batch: boolean
  readonly graph: Graph
  /** What the document of the response may still hold. */
  readonly budget: DocumentBudget
  /** The rows of a type this requester may see; each plugin is asked once per type. Undefined where nobody hides any. */
  scope(type: ResourceType): Awaitable<Condition | undefined>
}

/** `batchBudget` is the budget that the operations of a batch share. */
export function createContext(app: App, origin: Origin, unit: Unit, batchBudget?: DocumentBudget): Context {
  const { server, request, principal, trusted } = origin
  let scopes: Map<ResourceType, Awaitable<Condition | undefined>> | undefined
  const context: Context = {
    server,
    request,
    principal,
    trusted,
    app,
    unit,
    batch: batchBudget !== undefined,
    graph: new Graph(),
    budget: batchBudget ?? new DocumentBudget(app.config.limits),
    scope(type) {
      const plugins = app.joining('scope', type)
      if (plugins.length === 0 && type.declaration.scope === undefined) return undefined
      scopes ??= new Map()
      if (!scopes.has(type)) scopes.set(type, askScope(type, plugins, context))
      return scopes.get(type)
    },
  }
  return context
}

/** Whoever is asked alone is not waited for without need. */
function askScope(type: ResourceType, plugins: readonly Plugin[], context: Context): Awaitable<Condition | undefined> {
  if (type.declaration.scope !== undefined || plugins.length > 1) return askAll(type, plugins, context)
  const asked = plugins[0]?.scope?.(type, context)
  return isThenable(asked) ? Promise.resolve(asked) : asked
}

async function askAll(
  type: ResourceType,
  plugins: readonly Plugin[],
  context: Context,
): Promise<Condition | undefined> {
  const own = await type.declaration.scope?.(context.request)
  const conditions: Condition[] = own ? [native(own)] : []
  for (const plugin of plugins) {
    const condition = await plugin.scope?.(type, context)
    if (condition) conditions.push(condition)
  }
  return conditions.length > 1 ? all(...conditions) : conditions[0]
}
