import type { Awaitable } from '../lib/awaitable.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import type { App } from '../model/app.ts'
import { all, type Condition, never } from '../model/condition.ts'
import { type Context, RowChanges } from '../model/context.ts'
import { scopeCondition } from '../model/filter-to-condition.ts'
import { Graph } from '../model/graph.ts'
import { DocumentBudget } from '../model/limits.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { Plugin } from '../model/plugin.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Unit } from '../model/store.ts'

/** The operations of a batch share `batchBudget`. */
export function createContext(app: App, draft: OperationDraft, unit: Unit, batchBudget?: DocumentBudget): Context {
  const { server, request, principal, trusted } = draft.origin
  return withScopes({
    server,
    request,
    principal,
    trusted,
    app,
    unit,
    query: draft.query,
    sent: draft.input,
    batch: batchBudget !== undefined,
    ofRelationship: draft.target.kind === 'relationship',
    graph: new Graph(),
    joined: [],
    rowChanges: new RowChanges(),
    budget: batchBudget ?? new DocumentBudget(app.config.limits),
  })
}

/** A copy of the context that computes its scopes itself. A plugin may return another scope for the copy. */
export function withScopes(original: Omit<Context, 'scope' | 'visibleScope' | 'writeScope'>): Context {
  let scopes: Map<ResourceType, Scope> | undefined
  let visible: Map<ResourceType, Scope> | undefined
  let written: Map<ResourceType, Scope> | undefined
  const context: Context = {
    ...original,
    scope(type) {
      scopes ??= new Map()
      return getOrCreate(scopes, type, () => readScope(type, context))
    },
    visibleScope(type) {
      visible ??= new Map()
      return getOrCreate(visible, type, () => readVisibleScope(type, context))
    },
    writeScope(type) {
      written ??= new Map()
      return getOrCreate(written, type, () => readWriteScope(type, context))
    },
  }
  return context
}

/** Not a promise if nothing restricts the type, as for most types of most requests. */
type Scope = Awaitable<Condition | undefined>

function readScope(type: ResourceType, context: Context): Scope {
  const plugins = type.hooks.scope
  const hasDeclared = type.declaration.scope !== undefined
  return hasDeclared || plugins.length > 0 ? joinScopes(type, plugins, context) : undefined
}

async function joinScopes(
  type: ResourceType,
  plugins: readonly Plugin[],
  context: Context,
): Promise<Condition | undefined> {
  const { declaration } = type
  const [declared, ...conditions] = await Promise.all([
    declaration.scope?.(context.request),
    ...plugins.map((plugin) => plugin.scope?.(type, context)),
  ])
  const hasDeclared = declaration.scope !== undefined
  return joinConditions(hasDeclared ? [scopeCondition(declared, `scope of ${type.name}`), ...conditions] : conditions)
}

function readVisibleScope(type: ResourceType, context: Context): Scope {
  const plugins = type.hooks.showsType
  return plugins.length > 0 ? scopeIfShown(type, plugins, context) : context.scope(type)
}

async function scopeIfShown(
  type: ResourceType,
  plugins: readonly Plugin[],
  context: Context,
): Promise<Condition | undefined> {
  const answers = await Promise.all(plugins.map((plugin) => plugin.showsType?.(type, context)))
  return answers.every((isShown) => isShown === true) ? context.scope(type) : never
}

function readWriteScope(type: ResourceType, context: Context): Scope {
  const plugins = type.hooks.writeScope
  return plugins.length > 0 ? joinWriteScopes(type, plugins, context) : undefined
}

async function joinWriteScopes(
  type: ResourceType,
  plugins: readonly Plugin[],
  context: Context,
): Promise<Condition | undefined> {
  return joinConditions(await Promise.all(plugins.map((plugin) => plugin.writeScope?.(type, context))))
}

function joinConditions(scopes: readonly (Condition | undefined)[]): Condition | undefined {
  const conditions = scopes.filter((condition) => condition !== undefined)
  return conditions.length > 1 ? all(...conditions) : conditions[0]
}
