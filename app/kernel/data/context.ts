import type { Awaitable } from '../lib/awaitable.ts'
import type { Condition } from '../schema/condition.ts'
import type { Principal } from '../schema/principal.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Graph } from './graph.ts'
import type { JoinedRows, Query } from './query.ts'
import type { Unit } from './store.ts'

/** The party that an operation runs for. `operation-context.ts` adds the request. */
export interface Requester {
  /** Null if anonymous. */
  readonly principal: Principal | null
  /** A trusted requester is not authorized. */
  readonly trusted: boolean
}

/** The state of one operation, as far as reading and writing rows needs it. `operation-context.ts` adds the rest. */
export interface Context extends Requester {
  readonly unit: Unit
  readonly query: Query
  readonly graph: Graph
  /** Related rows that the provider has read together with the primary data. */
  readonly joined: JoinedRows[]
  /** The condition under which a row exists for this requester; undefined if all rows do. Computed once per type. */
  scope(type: ResourceType): Awaitable<Condition | undefined>
  /** Like `scope`, for rows that are not addressed by their own URL: matches no row if the requester may not view the type. */
  visibleScope(type: ResourceType): Awaitable<Condition | undefined>
  /** The condition that a row must meet after the write. */
  writeScope(type: ResourceType): Awaitable<Condition | undefined>
}

/** The context for a read that ignores scopes. Its rows must not be rendered. */
export function unscoped(context: Context): Context {
  return { ...context, scope: () => undefined, visibleScope: () => undefined }
}
