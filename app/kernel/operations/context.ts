import { type Awaitable, isThenable } from '../lib/awaitable.ts'
import { isObject } from '../lib/is-object.ts'
import type { App } from '../model/app.ts'
import { all, type Condition, never } from '../model/condition.ts'
import { type Context, RowChanges } from '../model/context.ts'
import { scopeCondition } from '../model/filter-to-condition.ts'
import { Graph } from '../model/graph.ts'
import { createBudget, type DocumentBudget } from '../model/limits.ts'
import type { OperationDraft } from '../model/operation.ts'
import type { ResourceType } from '../model/resource-type.ts'
import type { Scope as ScopeStep } from '../model/stages.ts'
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
    budget: batchBudget ?? createBudget(app.config.limits),
  })
}

/** A copy of the context that computes its scopes itself. A plugin may return another scope for the copy. */
export function withScopes(original: Omit<Context, 'scope' | 'visibleScope' | 'writeScope'>): Context {
  const scopes = new Map<ResourceType, Scope>()
  const visible = new Map<ResourceType, Scope>()
  const written = new Map<ResourceType, Scope>()
  const context: Context = {
    ...original,
    scope(type) {
      return scopes.has(type) ? scopes.get(type) : keepScope(scopes, type, readScope(type, context))
    },
    visibleScope(type) {
      return visible.has(type) ? visible.get(type) : keepScope(visible, type, readVisibleScope(type, context))
    },
    writeScope(type) {
      return written.has(type)
        ? written.get(type)
        : keepScope(written, type, joinSteps(type, type.steps.scope.written, context))
    },
  }
  return context
}

/** Not a promise unless a function of the application or a plugin returns one. */
type Scope = Awaitable<Condition | undefined>

/** Keeps a scope, and its condition in place of a promise as soon as it is resolved. */
function keepScope(scopes: Map<ResourceType, Scope>, type: ResourceType, scope: Scope): Scope {
  scopes.set(type, scope)
  if (isThenable(scope)) {
    scope.then(
      (condition) => scopes.set(type, condition),
      () => {}, // the promise stays: every statement that needs the scope fails
    )
  }
  return scope
}

function readScope(type: ResourceType, context: Context): Scope {
  const { declaration, steps } = type
  const { scope } = declaration
  if (scope === undefined) return joinSteps(type, steps.scope.addressed, context)
  return joinAnswers(() => [
    toScope(scope?.(context.request), `scope of ${type.name}`),
    ...steps.scope.addressed.map((step) => step.condition(type, context)),
  ])
}

function toScope(answer: unknown, name: string): Scope {
  if (isThenable(answer)) return Promise.resolve(answer).then((filter) => scopeCondition(filter, name))
  return scopeCondition(answer, name)
}

/** Rows that are not visible need no other scope, which may call functions of the application. */
function readVisibleScope(type: ResourceType, context: Context): Scope {
  const steps = type.steps.scope.visible
  if (steps.length === 0) return context.scope(type)
  const visible = joinSteps(type, steps, context)
  const addScope = (found: Condition | undefined) =>
    found?.kind === 'never' ? never : joinAnswers(() => [context.scope(type), found])
  return isThenable(visible) ? visible.then(addScope) : addScope(visible)
}

function joinSteps(type: ResourceType, steps: readonly ScopeStep[], context: Context): Scope {
  return steps.length > 0 ? joinAnswers(() => steps.map((step) => step.condition(type, context))) : undefined
}

/** An error is thrown where the scope is used. */
function joinAnswers(read: () => readonly Scope[]): Scope {
  try {
    const answers = read()
    if (answers.some(isThenable)) return Promise.all(answers).then(joinConditions)
    return joinConditions(answers as readonly (Condition | undefined)[])
  } catch (error) {
    return Promise.reject(error)
  }
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
