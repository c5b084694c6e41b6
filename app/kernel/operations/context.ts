import type { Awaitable } from '../lib/awaitable.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { isObject } from '../lib/is-object.ts'
import type { App } from '../model/app.ts'
import { all, type Condition, never } from '../model/condition.ts'
import { type Context, RowChanges } from '../model/context.ts'
import { scopeCondition } from '../model/filter-to-condition.ts'
import { Graph } from '../model/graph.ts'
import { DocumentBudget } from '../model/limits.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Unit } from '../model/store.ts'
import type { Scope as ScopeStep } from '../model/type-stages.ts'

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
  const steps = type.steps.scope.addressed
  const hasDeclared = type.declaration.scope !== undefined
  return hasDeclared || steps.length > 0 ? joinScopes(type, steps, context) : undefined
}

async function joinScopes(
  type: ResourceType,
  steps: readonly ScopeStep[],
  context: Context,
): Promise<Condition | undefined> {
  const { declaration } = type
  const [declared, ...conditions] = await Promise.all([
    declaration.scope?.(context.request),
    ...steps.map((step) => step.condition(type, context)),
  ])
  const hasDeclared = declaration.scope !== undefined
  return joinConditions(hasDeclared ? [scopeCondition(declared, `scope of ${type.name}`), ...conditions] : conditions)
}

function readVisibleScope(type: ResourceType, context: Context): Scope {
  const steps = type.steps.scope.visible
  return steps.length > 0 ? joinVisibleScopes(type, steps, context) : context.scope(type)
}

async function joinVisibleScopes(
  type: ResourceType,
  steps: readonly ScopeStep[],
  context: Context,
): Promise<Condition | undefined> {
  const visible = joinConditions(await Promise.all(steps.map((step) => step.condition(type, context))))
  if (visible === undefined) return context.scope(type)
  return visible.kind === 'never' ? never : joinConditions([await context.scope(type), visible])
}

function readWriteScope(type: ResourceType, context: Context): Scope {
  const steps = type.steps.scope.written
  return steps.length > 0 ? joinWriteScopes(type, steps, context) : undefined
}

async function joinWriteScopes(
  type: ResourceType,
  steps: readonly ScopeStep[],
  context: Context,
): Promise<Condition | undefined> {
  return joinConditions(await Promise.all(steps.map((step) => step.condition(type, context))))
}

/** An answer that is not a condition excludes all rows. */
function joinConditions(answers: readonly (Condition | undefined)[]): Condition | undefined {
  const conditions = answers.filter((answer) => answer !== undefined)
  if (!conditions.every(isCondition)) return never
  return conditions.length > 1 ? all(...conditions) : conditions[0]
}

function isCondition(answer: unknown): answer is Condition {
  return isObject(answer) && 'kind' in answer
}
