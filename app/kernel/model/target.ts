import type { Relation } from './field.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'

export type TargetKind = 'collection' | 'resource' | 'related' | 'relationship'

/** The resource, collection or relationship that a URL addresses. */
export interface Target {
  readonly kind: TargetKind
  readonly server: Server
  readonly type: ResourceType
  /** The id in the URL, not decoded. */
  readonly id?: string
  /** Instead of an id: the local id of a resource that an earlier operation of the batch creates. */
  readonly lid?: string
  readonly relation?: Relation
}
