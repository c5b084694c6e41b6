import type { Route } from './plugin.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'
import type { TargetKind } from './target.ts'

/** A path some server knows: a resource's, or a plugin's own. */
export type Match = ResourceMatch | RouteMatch

export interface ResourceMatch {
  readonly server: Server
  readonly route?: undefined
  readonly shape: TargetKind
  readonly type: ResourceType
  readonly id?: string
  /** In its place, a local id of the batch. */
  readonly lid?: string
  /** The segment, as it stood in the URL. */
  readonly relation?: string
}

export interface RouteMatch {
  readonly type?: undefined
  readonly server: Server
  readonly route: Route
}

/** Where a request was found: a shape of resource URL, or a plugin's own route. */
export type Place =
  | { readonly server: Server; readonly shape: TargetKind }
  | { readonly server: Server; readonly route: Route }
