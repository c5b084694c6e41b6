import type { Handler } from './operation.ts'
import type { ResourceType } from './resource-type.ts'

/** An operation that a plugin adds to a resource type, at a URL of its own: `POST /albums/1/-actions/reissue`. */
export interface Action {
  readonly name: string
  readonly type: ResourceType
  /** Whether the URL addresses one resource or the collection. */
  readonly on: 'resource' | 'collection'
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The policy method that authorizes it. */
  readonly ability: string
  /** The type of the resource in the request document. Null if the body is not a document. */
  readonly input: ResourceType | null
  /** The type of the primary data of its response. Null if it has none. */
  readonly shows: ResourceType | null
  /** Whether resources have a link to it if the requester may run it. */
  readonly isLinked: boolean
  readonly run: Handler
}
