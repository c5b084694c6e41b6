import type { Relation } from './field.ts'
import type { Action } from './operation.ts'
import type { ResourceType } from './resource-type.ts'
import type { Route } from './route.ts'
import type { Server } from './server.ts'

/** The shapes of resource URLs. */
export type Shape = 'collection' | 'resource' | 'related' | 'relationship'
export type TargetKind = Shape | 'action'

/** The resource, collection, relationship or action that a URL addresses. */
export interface Target {
  readonly kind: TargetKind
  readonly server: Server
  readonly type: ResourceType
  /** The id in the URL, not decoded. */
  readonly id?: string
  /** Instead of an id: the local id of a resource that an earlier operation of the batch creates. */
  readonly lid?: string
  readonly relation?: Relation
  readonly action?: Action
}

/** An entry of the routing table: one shape of resource URLs of a server, or a plugin's route. */
export type Endpoint =
  | { readonly server: Server; readonly shape: Shape }
  | { readonly server: Server; readonly route: Route }

/** The result of matching a URL path. */
export type Match = ResourceMatch | RouteMatch

export interface ResourceMatch {
  readonly server: Server
  readonly route?: undefined
  readonly shape: Shape
  readonly type: ResourceType
  readonly id?: string
  /** The local id of a resource of the same batch; replaces `id`. */
  readonly lid?: string
  /** The URL segment of the relation, unchecked. */
  readonly relation?: string
}

export interface RouteMatch {
  readonly type?: undefined
  readonly server: Server
  readonly route: Route
}
