import { defineError } from './errors.ts'

// What the kernel itself refuses. A plugin's errors are in its own folder.

export const mediaTypeUnsupported = defineError(
  'MEDIA_TYPE_UNSUPPORTED',
  415,
  'The provided media type is unsupported',
  "The media type '{mediaType}' is not supported here; send application/vnd.api+json.",
)
export const mediaTypeUnacceptable = defineError(
  'MEDIA_TYPE_UNACCEPTABLE',
  406,
  'The provided media type is unacceptable',
  "None of the media types in '{mediaType}' can be answered; accept application/vnd.api+json.",
)

export const requestBodyInvalidJson = defineError(
  'REQUEST_BODY_INVALID_JSON',
  400,
  'Request body is an invalid JSON document',
  'The request body cannot be read as JSON: {reason}.',
)
export const requestBodyInvalidJsonApi = defineError(
  'REQUEST_BODY_INVALID_JSON_API',
  400,
  'Request body is an invalid JSON:API document',
  'The request body is not a JSON:API document: {reason}.',
)
export const requiredTopLevelMembersMissing = defineError(
  'REQUIRED_TOP_LEVEL_MEMBERS_MISSING',
  400,
  'Required top-level members are missing',
  'A document has at least one of data, errors and meta at its top level.',
)
export const topLevelMembersIncompatible = defineError(
  'TOP_LEVEL_MEMBERS_INCOMPATIBLE',
  400,
  'Top-level members are incompatible',
  'A document cannot have both data and errors at its top level.',
)
export const topLevelMemberNotAllowed = defineError(
  'TOP_LEVEL_MEMBER_NOT_ALLOWED',
  400,
  'Top-level member is not allowed',
  'A document without data cannot have included at its top level.',
)
export const dataMemberMissing = defineError(
  'DATA_MEMBER_MISSING',
  400,
  "Missing `data` member at the document's top level",
  'The document needs a data member holding {expected}.',
)
export const resourceTypeMissing = defineError(
  'RESOURCE_TYPE_MISSING',
  400,
  'Resource type is missing',
  'A resource object needs a type, which is a non-empty string.',
)
export const resourceIdMissing = defineError(
  'RESOURCE_ID_MISSING',
  400,
  'Resource ID is missing',
  'A resource object of an update needs its id.',
)
export const resourceIdInvalid = defineError(
  'RESOURCE_ID_INVALID',
  400,
  'Resource ID is invalid',
  'The id of a resource object is a string.',
)
export const resourceIdentifierTypeMissing = defineError(
  'RESOURCE_IDENTIFIER_TYPE_MISSING',
  400,
  'Resource identifier type is missing',
  'A resource identifier needs a type.',
)
export const resourceIdentifierTypeInvalid = defineError(
  'RESOURCE_IDENTIFIER_TYPE_INVALID',
  400,
  'Resource identifier type is invalid',
  'The type of a resource identifier is a non-empty string.',
)
export const resourceIdentifierIdMissing = defineError(
  'RESOURCE_IDENTIFIER_ID_MISSING',
  400,
  'Resource identifier ID is missing',
  'A resource identifier needs an id.',
)
export const resourceIdentifierIdInvalid = defineError(
  'RESOURCE_IDENTIFIER_ID_INVALID',
  400,
  'Resource identifier ID is invalid',
  'The id of a resource identifier is a non-empty string.',
)
export const resourceIdentifierLidInvalid = defineError(
  'RESOURCE_IDENTIFIER_LID_INVALID',
  400,
  'Resource identifier lid is invalid',
  'The lid of a resource identifier is a non-empty string.',
)
export const localIdNotSupported = defineError(
  'LOCAL_ID_NOT_SUPPORTED',
  400,
  'Local id is not supported',
  "The local id '{lid}' can only be used inside a batch of operations.",
)
export const localIdNotFound = defineError(
  'LOCAL_ID_NOT_FOUND',
  400,
  'Local id not found',
  "No earlier operation created a resource of type '{type}' with the local id '{lid}'.",
)
export const relationshipTypeInappropriate = defineError(
  'RELATIONSHIP_TYPE_INAPPROPRIATE',
  400,
  'Relationship type is inappropriate',
  "The relationship '{relationship}' takes {expected}.",
)

export const clientGeneratedIdNotSupported = defineError(
  'CLIENT_GENERATED_ID_NOT_SUPPORTED',
  403,
  'Client generated ID is not supported',
  "Resources of type '{type}' get their id from the server.",
)
export const clientGeneratedIdRequired = defineError(
  'CLIENT_GENERATED_ID_REQUIRED',
  403,
  'Required client generated ID',
  "Resources of type '{type}' need an id made by the client.",
)
export const clientGeneratedIdAlreadyExists = defineError(
  'CLIENT_GENERATED_ID_ALREADY_EXISTS',
  409,
  'Client generated ID already exists',
  "A resource of type '{type}' with the id '{id}' already exists.",
)
export const resourceIdConflict = defineError(
  'RESOURCE_ID_CONFLICT',
  409,
  'Resource id conflict',
  "The id '{id}' in the document is not the id of the resource being updated.",
)
export const resourceTypeUnacceptable = defineError(
  'RESOURCE_TYPE_UNACCEPTABLE',
  409,
  'Resource type is unacceptable',
  "The type '{type}' cannot stand here; expected {expected}.",
)
export const conflict = defineError('CONFLICT', 409, 'Conflict', '{reason}')

export const resourceNotFound = defineError(
  'RESOURCE_NOT_FOUND',
  404,
  'Resource not found',
  "There is no resource of type '{type}' with the id '{id}'.",
)
export const relationshipNotExists = defineError(
  'RELATIONSHIP_NOT_EXISTS',
  404,
  'The requested relationship does not exist',
  "Resources of type '{type}' have no relationship '{relationship}'.",
)

export const queryParamUnrecognized = defineError(
  'QUERY_PARAM_UNRECOGNIZED',
  400,
  'Query parameter is unrecognized',
  "The query parameter '{parameter}' is not recognized here.",
)
export const queryParamMalformed = defineError(
  'QUERY_PARAM_MALFORMED',
  400,
  'Query parameter is malformed',
  "The query parameter '{parameter}' does not have the shape it needs: {expected}.",
)

export const resourceIdUndecodable = defineError(
  'RESOURCE_ID_UNDECODABLE',
  422,
  'Resource ID is undecodable',
  "'{id}' cannot be the id of a resource of type '{type}'.",
)
export const validationFailed = defineError('VALIDATION_FAILED', 422, 'Unprocessable Entity', '{message}')
export const attributeValueInvalid = defineError(
  'ATTRIBUTE_VALUE_INVALID',
  422,
  'Attribute value is invalid',
  "The value of the attribute '{attribute}' cannot be stored.",
)
export const relatedAttributeOwnerMissing = defineError(
  'RELATED_ATTRIBUTE_OWNER_MISSING',
  422,
  'Related attribute owner missing',
  "There is no related object to hold the attribute '{attribute}'.",
)
export const applicationError = defineError(
  'APPLICATION_ERROR',
  500,
  'Application error',
  'The request reached the handler with a method or target it cannot map.',
)
export const fullReplacementProhibited = defineError(
  'FULL_REPLACEMENT_PROHIBITED',
  403,
  'Full replacement is prohibited',
  "The members of the relationship '{relationship}' cannot be replaced.",
)
export const additionProhibited = defineError(
  'ADDITION_PROHIBITED',
  403,
  'Addition is prohibited',
  "The relationship '{relationship}' takes no further members.",
)
export const removalProhibited = defineError(
  'REMOVAL_PROHIBITED',
  403,
  'Removal is prohibited',
  "The members of the relationship '{relationship}' cannot be removed.",
)
