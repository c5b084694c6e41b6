import { defineError } from './errors.ts'

// The errors of the kernel. The errors of a plugin are in its folder.

export const mediaTypeUnsupported = defineError(
  'MEDIA_TYPE_UNSUPPORTED',
  415,
  'The provided media type is unsupported',
  "The media type '{mediaType}' is not supported here. Accepted: {accepted}.",
  {
    when: 'The request has a body of another media type, a media type parameter other than `ext` and `profile`, or an extension that is not supported here.',
    example: { mediaType: 'application/json', accepted: 'application/vnd.api+json' },
    source: { header: 'Content-Type' },
  },
)
export const mediaTypeUnacceptable = defineError(
  'MEDIA_TYPE_UNACCEPTABLE',
  406,
  'The provided media type is unacceptable',
  "None of the media types in '{mediaType}' is available. Available: {available}.",
  {
    when: '`Accept` has no JSON:API media type without foreign parameters and unsupported extensions.',
    example: { mediaType: 'text/html', available: 'application/vnd.api+json' },
    source: { header: 'Accept' },
  },
)

export const requestBodyInvalidJson = defineError(
  'REQUEST_BODY_INVALID_JSON',
  400,
  'Request body is an invalid JSON document',
  'The request body is not valid JSON: {reason}.',
  {
    when: 'The body is empty, not JSON, nested too deeply, incomplete or damaged.',
    example: { reason: 'its syntax is invalid at line 3, column 14' },
  },
)
export const requestBodyInvalidJsonApi = defineError(
  'REQUEST_BODY_INVALID_JSON_API',
  400,
  'Request body is an invalid JSON:API document',
  'The request body is not a JSON:API document: {reason}.',
  {
    when: 'The body is JSON, but its structure is not that of a JSON:API document.',
    example: { reason: 'attributes must be an object' },
    source: { pointer: '/data/attributes' },
  },
)
export const requiredTopLevelMembersMissing = defineError(
  'REQUIRED_TOP_LEVEL_MEMBERS_MISSING',
  400,
  'Required top-level members are missing',
  'A document must have at least one of data, errors and meta at its top level.',
  { when: 'The document has none of `data`, `errors` and `meta`.' },
)
export const topLevelMembersIncompatible = defineError(
  'TOP_LEVEL_MEMBERS_INCOMPATIBLE',
  400,
  'Top-level members are incompatible',
  'A document cannot have both data and errors at its top level.',
  { when: 'The document has both `data` and `errors`.' },
)
export const documentTooLarge = defineError(
  'DOCUMENT_TOO_LARGE',
  400,
  'Document is too large',
  'The document would have more than {limit} {counted}; {part} exceeds the limit. Accepted instead: {accepted}.',
  {
    when: 'The document of the response would have more resources than `MAX_DOCUMENT_RESOURCES`, more resource identifiers in linkage than `MAX_DOCUMENT_IDENTIFIERS`, more characters than `MAX_DOCUMENT_CHARACTERS`, or the rows of one statement have more bytes than `MAX_RESULT_BYTES`.',
    example: {
      limit: 5000,
      counted: 'resources',
      part: "the include path 'albums.tracks'",
      accepted: 'a shorter include or a smaller page',
    },
    source: { parameter: 'include' },
  },
)
export const topLevelMemberNotAllowed = defineError(
  'TOP_LEVEL_MEMBER_NOT_ALLOWED',
  400,
  'Top-level member is not allowed',
  'A document without data cannot have included at its top level.',
  { when: 'The document has `included` without `data`.' },
)
export const dataMemberMissing = defineError(
  'DATA_MEMBER_MISSING',
  400,
  "Missing `data` member at the document's top level",
  'The document must have a data member with {expected}.',
  {
    when: 'The document of a write has no `data`, or `data` does not have the structure that the endpoint accepts.',
    example: { expected: 'a resource object' },
    source: { pointer: '' },
  },
)
export const resourceTypeMissing = defineError(
  'RESOURCE_TYPE_MISSING',
  400,
  'Resource type is missing',
  'A resource object must have a type, which is a non-empty string.',
  {
    when: 'The resource object of a write has no `type`, or one that is not a non-empty string.',
    source: { pointer: '/data' },
  },
)
export const resourceIdMissing = defineError(
  'RESOURCE_ID_MISSING',
  400,
  'Resource ID is missing',
  'The resource object of an update must have an id.',
  { when: 'The resource object of an update has no `id`.', source: { pointer: '/data' } },
)
export const resourceIdInvalid = defineError(
  'RESOURCE_ID_INVALID',
  400,
  'Resource ID is invalid',
  'The id of a resource object must be a string.',
  { when: 'The `id` of a resource object is not a string.', source: { pointer: '/data/id' } },
)
export const resourceIdentifierTypeMissing = defineError(
  'RESOURCE_IDENTIFIER_TYPE_MISSING',
  400,
  'Resource identifier type is missing',
  'A resource identifier must have a type.',
  { when: 'A resource identifier has no `type`.', source: { pointer: '/data/relationships/artist/data' } },
)
export const resourceIdentifierTypeInvalid = defineError(
  'RESOURCE_IDENTIFIER_TYPE_INVALID',
  400,
  'Resource identifier type is invalid',
  'The type of a resource identifier must be a non-empty string.',
  {
    when: 'The `type` of a resource identifier is not a non-empty string.',
    source: { pointer: '/data/relationships/artist/data/type' },
  },
)
export const resourceIdentifierIdMissing = defineError(
  'RESOURCE_IDENTIFIER_ID_MISSING',
  400,
  'Resource identifier ID is missing',
  'A resource identifier must have an id.',
  { when: 'A resource identifier has no `id`.', source: { pointer: '/data/relationships/artist/data' } },
)
export const resourceIdentifierIdInvalid = defineError(
  'RESOURCE_IDENTIFIER_ID_INVALID',
  400,
  'Resource identifier ID is invalid',
  'The id of a resource identifier must be a non-empty string.',
  {
    when: 'The `id` of a resource identifier is not a non-empty string.',
    source: { pointer: '/data/relationships/artist/data/id' },
  },
)
export const resourceIdentifierLidInvalid = defineError(
  'RESOURCE_IDENTIFIER_LID_INVALID',
  400,
  'Resource identifier lid is invalid',
  'The lid of a resource identifier must be a non-empty string.',
  {
    when: 'The `lid` of a resource identifier is not a non-empty string.',
    source: { pointer: '/data/relationships/artist/data/lid' },
  },
)
export const localIdNotSupported = defineError(
  'LOCAL_ID_NOT_SUPPORTED',
  400,
  'Local id is not supported',
  "The local id '{lid}' is accepted only in a batch of operations.",
  {
    when: 'A resource identifier has a `lid` outside a batch of operations.',
    example: { lid: 'artist-1' },
    source: { pointer: '/data/relationships/artist/data/lid' },
  },
)
export const relationshipTypeInappropriate = defineError(
  'RELATIONSHIP_TYPE_INAPPROPRIATE',
  400,
  'Relationship type is inappropriate',
  "The relationship '{relationship}' accepts {expected}.",
  {
    when: 'Linkage has the wrong cardinality (400), or members are added to or removed from a to-one relationship (403).',
    example: { relationship: 'artist', expected: 'one resource identifier or null' },
    source: { pointer: '/data/relationships/artist/data' },
    otherStatuses: [403],
  },
)

export const linkageTooLarge = defineError(
  'LINKAGE_TOO_LARGE',
  400,
  'Linkage is too large',
  "The linkage of '{relationship}' has {count} members; a request may have at most {limit}.",
  {
    when: 'The linkage of one relationship has more members than a request may have. Send them in several requests to the relationship.',
    example: { relationship: 'tracks', count: 28_000, limit: 1000 },
    source: { pointer: '/data/relationships/tracks/data' },
  },
)

export const clientGeneratedIdNotSupported = defineError(
  'CLIENT_GENERATED_ID_NOT_SUPPORTED',
  403,
  'Client generated ID is not supported',
  "Resources of type '{type}' get their id from the server; omit it.",
  {
    when: 'A new resource has an `id`, but the server generates the ids of its type.',
    example: { type: 'albums' },
    source: { pointer: '/data/id' },
  },
)
export const clientGeneratedIdRequired = defineError(
  'CLIENT_GENERATED_ID_REQUIRED',
  403,
  'Required client generated ID',
  "A new resource of type '{type}' must have an id, which the client generates.",
  {
    when: 'A new resource has no `id`, but the client generates the ids of its type.',
    example: { type: 'countries' },
    source: { pointer: '/data' },
  },
)
export const clientGeneratedIdAlreadyExists = defineError(
  'CLIENT_GENERATED_ID_ALREADY_EXISTS',
  409,
  'Client generated ID already exists',
  "A resource of type '{type}' with the id '{id}' already exists.",
  {
    when: 'A new resource has the `id` of an existing resource.',
    example: { type: 'countries', id: 'de' },
    source: { pointer: '/data/id' },
  },
)
export const resourceIdConflict = defineError(
  'RESOURCE_ID_CONFLICT',
  409,
  'Resource id conflict',
  "The id '{id}' in the document is not the id in the URL; both must be the same.",
  {
    when: 'The `id` in the document of an update is not the id in the URL.',
    example: { id: '2' },
    source: { pointer: '/data/id' },
  },
)
export const resourceTypeUnacceptable = defineError(
  'RESOURCE_TYPE_UNACCEPTABLE',
  409,
  'Resource type is unacceptable',
  "The type '{type}' is not accepted here. Accepted: {expected}",
  {
    when: 'The `type` in a document is not the type of the endpoint or of the relationship.',
    example: { type: 'artists', expected: 'albums.' },
    source: { pointer: '/data/type' },
  },
)
export const conflict = defineError('CONFLICT', 409, 'Conflict', '{reason}', {
  when: 'The database rejects the write: a unique value is taken, or another resource refers to the deleted resource.',
  example: { reason: 'The value of name is already taken.' },
  source: { pointer: '/data/attributes/name' },
})

export const resourceNotFound = defineError(
  'RESOURCE_NOT_FOUND',
  404,
  'Resource not found',
  "There is no resource of type '{type}' with the id '{id}'.",
  {
    when: 'The resource of the URL, or a resource in linkage, does not exist or is not visible to the caller.',
    example: { type: 'albums', id: '4711' },
  },
)
export const relationshipNotExists = defineError(
  'RELATIONSHIP_NOT_EXISTS',
  404,
  'The requested relationship does not exist',
  "Resources of type '{type}' have no relationship '{relationship}' here. Relationships: {accepted}",
  {
    when: 'The relationship in the URL does not exist, or has no endpoint.',
    example: { type: 'albums', relationship: 'artists', accepted: "artist, tracks. Did you mean 'artist'?" },
  },
)

export const queryParamUnrecognized = defineError(
  'QUERY_PARAM_UNRECOGNIZED',
  400,
  'Query parameter is unrecognized',
  "The query parameter '{parameter}' is not recognized here. {hint}",
  {
    when: 'The query parameter belongs to no query family of the server, or the URL does not accept its family.',
    example: { parameter: 'includes', hint: "Accepted: fields, include, sort. Did you mean 'include'?" },
    source: { parameter: 'includes' },
  },
)
export const sortingUnsupported = defineError(
  'SORTING_UNSUPPORTED',
  400,
  'Sorting is unsupported',
  "This request does not support '{parameter}': repeat it without the parameter.",
  {
    when: '`sort` is sent where the response cannot be sorted.',
    example: { parameter: 'sort' },
    source: { parameter: 'sort' },
  },
)
export const queryParamMalformed = defineError(
  'QUERY_PARAM_MALFORMED',
  400,
  'Query parameter is malformed',
  "The query parameter '{parameter}' is malformed. Accepted: {expected}.",
  {
    when: 'The name or the value of a query parameter does not have the form that its family accepts.',
    example: { parameter: 'filter', expected: 'filter[key]=value' },
    source: { parameter: 'filter' },
  },
)

export const queryTooLarge = defineError('QUERY_TOO_LARGE', 400, 'Query is too large', '{reason}', {
  when: 'The query has more parameters, or one parameter has more values, keys, paths, names or words, than the limit.',
  example: { reason: "'sort' has 4000 sort keys; at most 10 are accepted." },
  source: { parameter: 'sort' },
})

export const resourceIdUndecodable = defineError(
  'RESOURCE_ID_UNDECODABLE',
  422,
  'Resource ID is undecodable',
  "'{id}' is not a valid id of a resource of type '{type}'.",
  {
    when: 'The `id` of a new resource has the right form, but cannot be decoded into a value that can be stored.',
    example: { type: 'countries', id: 'x' },
    source: { pointer: '/data/id' },
  },
)
export const validationFailed = defineError('VALIDATION_FAILED', 422, 'Unprocessable Entity', '{message}', {
  when: 'A value breaks a rule of its field. The document has an error object for every violation.',
  example: { message: "'title' must not be empty." },
  source: { pointer: '/data/attributes/title' },
})
export const attributeValueInvalid = defineError(
  'ATTRIBUTE_VALUE_INVALID',
  422,
  'Attribute value is invalid',
  "The value of the attribute '{attribute}' cannot be stored.",
  {
    when: 'A value obeys the rules of its field, but cannot be converted into the stored form.',
    example: { attribute: 'releasedAt' },
    source: { pointer: '/data/attributes/releasedAt' },
  },
)
export const relatedAttributeOwnerMissing = defineError(
  'RELATED_ATTRIBUTE_OWNER_MISSING',
  422,
  'Related attribute owner missing',
  "The attribute '{attribute}' is stored in a related resource, which does not exist.",
  {
    when: 'A chained attribute is written, and the related resource that stores it does not exist.',
    example: { attribute: 'ownerName' },
    source: { pointer: '/data/attributes/ownerName' },
  },
)
export const applicationError = defineError(
  'APPLICATION_ERROR',
  500,
  'Application error',
  'The method and the target of the request select no operation.',
  { when: 'A fault of the application: the route of a plugin runs an operation without a suitable method or target.' },
)
export const fullReplacementProhibited = defineError(
  'FULL_REPLACEMENT_PROHIBITED',
  403,
  'Full replacement is prohibited',
  "The members of the relationship '{relationship}' cannot be replaced.",
  {
    when: 'The request replaces the members of a relationship that does not allow it.',
    example: { relationship: 'tracks' },
    source: { pointer: '/data' },
  },
)
export const additionProhibited = defineError(
  'ADDITION_PROHIBITED',
  403,
  'Addition is prohibited',
  "Members cannot be added to the relationship '{relationship}'.",
  {
    when: 'The request adds members to a relationship that does not allow it.',
    example: { relationship: 'tracks' },
    source: { pointer: '/data' },
  },
)
export const removalProhibited = defineError(
  'REMOVAL_PROHIBITED',
  403,
  'Removal is prohibited',
  "Members cannot be removed from the relationship '{relationship}'.",
  {
    when: 'The request removes members from a relationship that does not allow it.',
    example: { relationship: 'tracks' },
    source: { pointer: '/data' },
  },
)
export const noResourceRegistered = defineError(
  'NO_RESOURCE_REGISTERED',
  500,
  'No resource registered',
  "This server has no resource type '{type}'.",
  {
    when: 'A fault of the application: the route of a plugin has a target whose type its server does not offer.',
    example: { type: 'labels' },
  },
)
