import type { Awaitable } from '../lib/awaitable.ts'
import type { App } from './app.ts'
import type { Condition } from './condition.ts'
import type { DocumentBudget } from './document-budget.ts'
import type { Graph } from './graph.ts'
import type { Principal } from './principal.ts'
import type { Unit } from './provider.ts'
import type { ApiRequest } from './request.ts'
import type { ResourceType } from './resource-type.ts'
import type { RowChanges } from './row-changes.ts'
import type { Server } from './server.ts'

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

/** The context for a read that must see every row, whatever the requester may see; nothing of it is shown. */
export function unscoped(context: Context): Context {
  return { ...context, scope: () => undefined, visibleScope: () => undefined }
}
