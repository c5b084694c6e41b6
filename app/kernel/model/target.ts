import type { Relation } from './field.ts'
import type { ResourceType } from './resource-type.ts'
import type { Server } from './server.ts'

export type TargetKind = 'collection' | 'resource' | 'related' | 'relationship'

/** What the URL points at. */
export interface Target {
  readonly kind: TargetKind
  readonly server: Server
  readonly type: ResourceType
  /** The wire id, as it stood in the URL. */
  readonly id?: string
  /** In its place, the name an earlier operation of the batch has given the resource. */
  readonly lid?: string
  readonly relation?: Relation
}
