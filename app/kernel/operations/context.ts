import type { App } from '../contract/app.ts'
import type { PlannedOperation } from '../contract/operation.ts'
import { type DocumentBudget, RowChanges } from '../contract/operation-context.ts'
import type { Scope as ScopeStep } from '../contract/stages.ts'
import type { Context } from '../data/context.ts'
import { Graph } from '../data/graph.ts'
import type { Unit } from '../data/store.ts'
import { type Awaitable, isThenable } from '../lib/awaitable.ts'
import { isObject } from '../lib/is-object.ts'
import { all, type Condition, never } from '../schema/condition.ts'
import { convertNative, scopeCondition } from '../schema/filter-to-condition.ts'
import type { ResourceType } from '../schema/resource-type.ts'

/** Operations that share a unit share `sharedBudget`. */
export function createContext(app: App, planned: PlannedOperation, unit: Unit, sharedBudget?: DocumentBudget): Context {
  const { server, request, principal, trusted } = planned.requester
  return withScopes({
    server,
    request,
    principal,
    trusted,
    app,
    unit,
    query: planned.query,
    sent: planned.input,
    sharesUnit: sharedBudget !== undefined,
    isRelationshipEndpoint: planned.target.kind === 'relationship',
    graph: new Graph(),
    joined: [],
    rowChanges: new RowChanges(),
    budget: sharedBudget ?? app.documents.createBudget(),
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
      if (type.steps.scope.written.length === 0) return undefined
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
  if (scope instanceof Promise) {
    scope.then(
      (condition) => scopes.set(type, condition),
      () => {}, // the promise stays: every statement that needs the scope fails
    )
  }
  return scope
}

/** A statement has one scope per type: that of a row addressed by its URL must not apply to related rows. */
export function hasOneScope(type: ResourceType, context: Context): Awaitable<boolean> {
  if (type.steps.scope.visible.length === 0) return true
  const scope = context.scope(type)
  const visible = context.visibleScope(type)
  if (!(scope instanceof Promise) && !(visible instanceof Promise)) return scope === visible
  return Promise.all([scope, visible]).then(([existing, shown]) => existing === shown)
}

function readScope(type: ResourceType, context: Context): Scope {
  const { declaration, steps } = type
  const { addressed } = steps.scope
  return joinSteps(type, declaration.scope === undefined ? addressed : [declaredScope, ...addressed], context)
}

/** The scope that the type declares. */
const declaredScope: Pick<ScopeStep, 'condition'> = {
  condition({ name, declaration }, { request }) {
    const answer: unknown = declaration.scope?.(request)
    const declaredBy = `scope of ${name}`
    if (!isThenable(answer)) return scopeCondition(answer, declaredBy)
    return Promise.resolve(answer).then((filter) => scopeCondition(filter, declaredBy))
  },
}

/** Does not compute the other scope if no row is visible, because it may call functions of the application. */
function readVisibleScope(type: ResourceType, context: Context): Scope {
  const steps = type.steps.scope.visible
  if (steps.length === 0) return context.scope(type)
  const visible = joinSteps(type, steps, context)
  const addScope = (found: Condition | undefined) => {
    if (found === undefined) return context.scope(type)
    return found.kind === 'never' ? never : joinAnswers(type, [context.scope(type), found])
  }
  return visible instanceof Promise ? visible.then(addScope) : addScope(visible)
}

/** An error is thrown where the scope is used. */
function joinSteps(type: ResourceType, steps: readonly Pick<ScopeStep, 'condition'>[], context: Context): Scope {
  const answers: Scope[] = []
  try {
    for (const step of steps) {
      const answer = step.condition(type, context)
      if (answer !== undefined) answers.push(answer)
    }
  } catch (error) {
    return Promise.reject(error)
  }
  return answers.length > 0 ? joinAnswers(type, answers) : undefined
}

function joinAnswers(type: ResourceType, answers: readonly Scope[]): Scope {
  for (const answer of answers) {
    if (answer !== undefined && isThenable(answer))
      return Promise.all(answers).then((conditions) => joinConditions(type, conditions))
  }
  return joinConditions(type, answers as readonly (Condition | undefined)[])
}

/** An answer that is not a condition excludes all rows. A filter that only compares columns is converted once. */
function joinConditions(type: ResourceType, answers: readonly (Condition | undefined)[]): Condition | undefined {
  const conditions: Condition[] = []
  for (const answer of answers) {
    if (answer === undefined) continue
    if (!isCondition(answer)) return never
    conditions.push(convertNative(answer, type.shape))
  }
  return conditions.length > 1 ? all(...conditions) : conditions[0]
}

function isCondition(answer: unknown): answer is Condition {
  return isObject(answer) && 'kind' in answer
}
