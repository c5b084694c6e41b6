// The description of an API that the types of the client are computed from. It exists in types only: `ApiOf` computes it
// from the declarations of a project, and `npm run make -- types` writes it as text.

export interface ApiSchema {
  /** The resource types of a server, by name: each is a `TypeSchema`. */
  readonly types: object
  /** The status of every error code. */
  readonly errors: object
}

export interface TypeSchema {
  /** The attributes of a read resource. Optional ones are not in every response. */
  readonly attributes: object
  /** The attributes that a create and an update accept. */
  readonly create: object
  readonly update: object
  /** Whether a create sends the id: never, optionally or always. */
  readonly id: 'server' | 'optional' | 'client'
  /** By name: each is a `RelationSchema`. */
  readonly relations: object
  readonly operations: Operation
  readonly filters: object
  /** Filters that select one resource. */
  readonly singular: object
  /**
   * The fields that expressions name: an attribute has the kind `text`, `ordered` or `equal`, by its operators, a relation
   * `relation`. Left out if the type has none.
   */
  readonly filterable?: object
  readonly sorts: string
  /** The members of `page`. Never if the collection is not paginated. */
  readonly page: object
  /** The paths that `include` accepts, and those of a request without `include`. */
  readonly includes: string
  readonly defaultIncludes: string
  /** The names that `withCount` accepts. */
  readonly counts: string
  /** By name: each is an `ActionSchema`. */
  readonly actions: unknown
  /** The results of writes. */
  readonly created: Answer
  readonly updated: Answer
  readonly removed: Answer
  /** Whether the responses to `get`, `create` and `update` have an entity tag. */
  readonly etags: boolean
  /** The URL segment. */
  readonly path: string
}

/** `live` and `liveOne` are streams of `list` and `get`. */
export type Operation = 'list' | 'get' | 'create' | 'update' | 'remove' | 'live' | 'liveOne'

/** `row`: the resource, `none`: no content, `meta`: a document with `meta` only, `{ accepted }`: a job of that type. */
export type Answer = 'row' | 'none' | 'meta' | 'location' | { readonly row: string } | { readonly accepted: string }

export interface RelationSchema {
  /** The names of the related types. */
  readonly to: string
  readonly many: boolean
  /** Whether a response contains the linkage of a relation that is not included. */
  readonly linked: boolean
  /** The documents in which the relation may be sent. */
  readonly on: 'create' | 'update'
  readonly required: boolean
  /** Whether a to-one may be emptied. */
  readonly nullable: boolean
  /** Whether `/{type}/{id}/{relation}` and `/{type}/{id}/relationships/{relation}` exist. */
  readonly related: boolean
  readonly linkage: boolean
  readonly includable: boolean
  readonly writes: 'add' | 'replace' | 'remove'
  readonly filters: object
  readonly sorts: string
  readonly page: object
  readonly counts: string
  /** The values of a membership in `meta.pivot`. */
  readonly pivot: object
  /** Those to send; required ones if the membership is new. */
  readonly pivotInput: object
  readonly path: string
}

export interface ActionSchema {
  readonly on: 'resource' | 'collection'
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Never without input, the name of the type of a document, or the media types of raw input. */
  readonly input: { readonly type: string } | { readonly media: string }
  readonly answers: Answer
}
