import type { ApiOf } from '#app/api-types/api-of.ts'
import type {} from '#app/plugins.ts'

// Written by `npm run make -- types`.

/** The API of a server, for `createClient<Api>()` of clients/typescript. */
export type Api<Server extends string = 'default'> = ApiOf<Folders, Server, ErrorCodes>

interface Folders {
  readonly 'album-reissues': {
    readonly resource: typeof import('./album-reissues/resource.ts').default
  }
  readonly albums: {
    readonly resource: typeof import('./albums/resource.ts').default
    readonly actions: {
      readonly artwork: typeof import('./albums/actions/artwork.ts').default
      readonly reissue: typeof import('./albums/actions/reissue.ts').default
    }
  }
  readonly artists: {
    readonly resource: typeof import('./artists/resource.ts').default
  }
  readonly 'catalog-exports': {
    readonly resource: typeof import('./catalog-exports/resource.ts').default
  }
  readonly charts: {
    readonly resource: typeof import('./charts/resource.ts').default
  }
  readonly countries: {
    readonly resource: typeof import('./countries/resource.ts').default
  }
  readonly devices: {
    readonly resource: typeof import('./devices/resource.ts').default
  }
  readonly 'export-jobs': {
    readonly resource: typeof import('./export-jobs/resource.ts').default
  }
  readonly favorites: {
    readonly resource: typeof import('./favorites/resource.ts').default
  }
  readonly genres: {
    readonly resource: typeof import('./genres/resource.ts').default
  }
  readonly libraries: {
    readonly resource: typeof import('./libraries/resource.ts').default
  }
  readonly playlists: {
    readonly resource: typeof import('./playlists/resource.ts').default
  }
  readonly products: {
    readonly resource: typeof import('./products/resource.ts').default
  }
  readonly 'public-profiles': {
    readonly resource: typeof import('./public-profiles/resource.ts').default
  }
  readonly releases: {
    readonly resource: typeof import('./releases/resource.ts').default
  }
  readonly tracks: {
    readonly resource: typeof import('./tracks/resource.ts').default
  }
  readonly users: {
    readonly resource: typeof import('./users/resource.ts').default
  }
}

interface ErrorCodes {
  readonly ACTION_NOT_FOUND: 404
  readonly ADDITION_PROHIBITED: 403
  readonly API_KEY_SCOPE_UNKNOWN: 422
  readonly APPLICATION_ERROR: 500
  readonly ASYNC_WRITE_IN_ATOMIC_OPERATION: 422
  readonly ATOMIC_HREF_UNRESOLVABLE: 400
  readonly ATOMIC_OPERATIONS_INVALID: 400
  readonly ATOMIC_OPERATIONS_NOT_SUPPORTED: 403
  readonly ATOMIC_OPERATIONS_UNAVAILABLE: 500
  readonly ATOMIC_OPERATION_NOT_EXPOSED: 403
  readonly ATOMIC_TARGET_TYPE_UNKNOWN: 404
  readonly ATTRIBUTE_VALUE_INVALID: 422
  readonly CLIENT_GENERATED_ID_ALREADY_EXISTS: 409
  readonly CLIENT_GENERATED_ID_NOT_SUPPORTED: 403
  readonly CLIENT_GENERATED_ID_REQUIRED: 403
  readonly CONFLICT: 409
  readonly CURSOR_MALFORMED: 400
  readonly CURSOR_STALE: 400
  readonly DATA_MEMBER_MISSING: 400
  readonly DOCUMENT_TOO_LARGE: 400
  readonly FIELDSET_MEMBER_UNRECOGNIZED: 400
  readonly FILTERING_UNRECOGNIZED: 400
  readonly FILTER_VALUE_INVALID: 400
  readonly FULL_REPLACEMENT_PROHIBITED: 403
  readonly HOST_INVALID: 400
  readonly HOST_NOT_ALLOWED: 400
  readonly IDEMPOTENCY_KEY_INVALID: 400
  readonly IDEMPOTENCY_KEY_IN_USE: 409
  readonly IDEMPOTENCY_KEY_NOT_ACCEPTED: 400
  readonly IDEMPOTENCY_KEY_REQUIRED: 400
  readonly IDEMPOTENCY_KEY_REUSED: 422
  readonly IDEMPOTENT_RESPONSE_TOO_LARGE: 400
  readonly INCLUSION_DEPTH_EXCEEDED: 400
  readonly INCLUSION_NOT_ALLOWED: 400
  readonly INCLUSION_UNRECOGNIZED: 400
  readonly INCLUSION_UNSUPPORTED: 400
  readonly LINKAGE_TOO_LARGE: 400
  readonly LOCAL_ID_CONFLICT: 400
  readonly LOCAL_ID_NOT_FOUND: 400
  readonly LOCAL_ID_NOT_SUPPORTED: 400
  readonly MEDIA_TYPE_UNACCEPTABLE: 406
  readonly MEDIA_TYPE_UNSUPPORTED: 415
  readonly NO_RESOURCE_REGISTERED: 500
  readonly PAGINATION_KIND_UNKNOWN: 400
  readonly PRECONDITION_FAILED: 412
  readonly PRECONDITION_REQUIRED: 428
  readonly QUERY_PARAM_MALFORMED: 400
  readonly QUERY_PARAM_UNRECOGNIZED: 400
  readonly QUERY_TOO_LARGE: 400
  readonly RELATED_ATTRIBUTE_OWNER_MISSING: 422
  readonly RELATIONSHIP_COUNT_NOT_ALLOWED: 400
  readonly RELATIONSHIP_NOT_EXISTS: 404
  readonly RELATIONSHIP_TYPE_INAPPROPRIATE: 400 | 403
  readonly REMOVAL_PROHIBITED: 403
  readonly REQUEST_BODY_INVALID_JSON: 400
  readonly REQUEST_BODY_INVALID_JSON_API: 400
  readonly REQUIRED_TOP_LEVEL_MEMBERS_MISSING: 400
  readonly RESOURCE_IDENTIFIER_ID_INVALID: 400
  readonly RESOURCE_IDENTIFIER_ID_MISSING: 400
  readonly RESOURCE_IDENTIFIER_LID_INVALID: 400
  readonly RESOURCE_IDENTIFIER_TYPE_INVALID: 400
  readonly RESOURCE_IDENTIFIER_TYPE_MISSING: 400
  readonly RESOURCE_ID_CONFLICT: 409
  readonly RESOURCE_ID_INVALID: 400
  readonly RESOURCE_ID_MISSING: 400
  readonly RESOURCE_ID_UNDECODABLE: 422
  readonly RESOURCE_NOT_FOUND: 404
  readonly RESOURCE_NOT_TRASHED: 409
  readonly RESOURCE_TYPE_MISSING: 400
  readonly RESOURCE_TYPE_UNACCEPTABLE: 409
  readonly RESPONSE_BODY_INVALID_JSON: 500
  readonly RESPONSE_BODY_INVALID_JSON_API: 500
  readonly RESTORE_CONFLICT: 409
  readonly SORTING_UNRECOGNIZED: 400
  readonly SORTING_UNSUPPORTED: 400
  readonly TOP_LEVEL_MEMBERS_INCOMPATIBLE: 400
  readonly TOP_LEVEL_MEMBER_NOT_ALLOWED: 400
  readonly VALIDATION_FAILED: 422
}
