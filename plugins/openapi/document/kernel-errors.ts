import {
  additionProhibited,
  attributeValueInvalid,
  clientGeneratedIdAlreadyExists,
  clientGeneratedIdNotSupported,
  clientGeneratedIdRequired,
  conflict,
  dataMemberMissing,
  documentTooLarge,
  type ErrorFactory,
  fullReplacementProhibited,
  linkageTooLarge,
  localIdNotSupported,
  mediaTypeUnacceptable,
  mediaTypeUnsupported,
  queryParamUnrecognized,
  queryTooLarge,
  relatedAttributeOwnerMissing,
  relationshipNotExists,
  relationshipTypeInappropriate,
  removalProhibited,
  requestBodyInvalidJson,
  requestBodyInvalidJsonApi,
  requiredTopLevelMembersMissing,
  resourceIdConflict,
  resourceIdentifierIdInvalid,
  resourceIdentifierIdMissing,
  resourceIdentifierLidInvalid,
  resourceIdentifierTypeInvalid,
  resourceIdentifierTypeMissing,
  resourceIdInvalid,
  resourceIdMissing,
  resourceIdUndecodable,
  resourceNotFound,
  resourceTypeMissing,
  resourceTypeUnacceptable,
  topLevelMemberNotAllowed,
  topLevelMembersIncompatible,
  validationFailed,
} from '#kernel/errors'
import type { Action, Attribute, Relation } from '#kernel/plugin'
import type { DescribedOperation } from '#openapi'

const identifiers = [
  resourceIdentifierTypeMissing,
  resourceIdentifierTypeInvalid,
  resourceIdentifierIdMissing,
  resourceIdentifierIdInvalid,
  resourceIdentifierLidInvalid,
  linkageTooLarge,
  localIdNotSupported,
  relationshipTypeInappropriate,
]
const documents = [
  requestBodyInvalidJson,
  requestBodyInvalidJsonApi,
  requiredTopLevelMembersMissing,
  topLevelMembersIncompatible,
  topLevelMemberNotAllowed,
  dataMemberMissing,
]
const resources = [resourceTypeMissing, resourceIdInvalid]
const gates = {
  UpdateRelationship: [fullReplacementProhibited, removalProhibited],
  AddToRelationship: [additionProhibited],
  RemoveFromRelationship: [removalProhibited],
}

/** The errors that actions, and the resources and policies of the types that an operation reads or writes, declare. */
export function addDeclaredErrors(operation: DescribedOperation): void {
  const { type, relation, shows, includable, body, route } = operation
  const written = relation === null && body ? (route?.action?.input ?? type) : null
  const relations = [...(relation ? [relation] : []), ...(written?.relations ?? [])]
  const targets = relations.flatMap((one) => one.targets)
  const types = new Set([...(type ? [type] : []), ...(written ? [written] : []), ...targets, ...shows, ...includable])
  const errors = [...[...types].flatMap((one) => one.errors), ...(route?.action?.errors ?? [])]
  for (const error of errors) {
    for (const status of [error.status, ...(error.documentation?.otherStatuses ?? [])])
      operation.addErrors(status, error)
  }
}

/** The errors of the kernel by operation; plugins add theirs. */
export function addKernelErrors(operation: DescribedOperation): void {
  const { kind, relation, body, route } = operation
  const type = route?.action?.input ?? operation.type
  const fail = (status: number, ...factories: readonly ErrorFactory[]) =>
    operation.addErrors(status, ...factories.map(({ definition }) => definition))
  fail(400, queryParamUnrecognized, queryTooLarge)
  if (hasDocumentLimit(operation)) fail(400, documentTooLarge)
  fail(403)
  fail(406, mediaTypeUnacceptable)
  fail(415, mediaTypeUnsupported)
  fail(500)
  fail(503).headers['Retry-After'] = { $ref: '#/components/headers/RetryAfter' }
  if (kind !== 'FetchCollection' && !(route?.action && readsNothing(route.action))) fail(404, resourceNotFound)
  if (relation && mayBeHidden(relation)) fail(404, relationshipNotExists)
  if (kind === 'Delete' || kind === 'Action') {
    fail(409, conflict)
    fail(422, validationFailed)
  }
  if (!body || !type) return

  fail(400, ...documents)
  fail(409, conflict, resourceTypeUnacceptable)
  fail(413)
  fail(422, validationFailed, attributeValueInvalid)
  if (relation) {
    fail(400, ...identifiers)
    fail(403, ...(gates[kind as keyof typeof gates] ?? []))
    return
  }
  fail(400, ...resources)
  if (type.relations.some(({ hidden }) => hidden !== true)) fail(400, ...identifiers)
  if (type.attributes.some(isChained)) fail(422, relatedAttributeOwnerMissing)
  if (kind === 'Update') {
    fail(400, resourceIdMissing)
    fail(403, fullReplacementProhibited, removalProhibited)
    fail(409, resourceIdConflict)
  } else failToCreate(type.id)

  function failToCreate({ clientId }: NonNullable<typeof type>['id']): void {
    if (clientId === 'required') fail(403, clientGeneratedIdRequired)
    if (clientId === 'forbidden') fail(403, clientGeneratedIdNotSupported)
    else {
      fail(409, clientGeneratedIdAlreadyExists)
      fail(422, resourceIdUndecodable)
    }
  }
}

/** Whether an action names no resource: neither in its URL, nor in its input or its response. */
function readsNothing({ on, input, shows }: Action): boolean {
  return on === 'collection' && !input && !shows
}

/** Whether the relation is hidden from some requesters or on some parents. */
function mayBeHidden({ hidden, hiddenFor }: Relation): boolean {
  return typeof hidden === 'function' || hiddenFor !== null
}

/** Whether it reads many rows: for its document, or as members of a to-many that it locks. */
function hasDocumentLimit({ relation, shows }: DescribedOperation): boolean {
  return shows.length > 0 || relation?.toMany === true
}

/** Whether the attribute or one of its children is declared with `on()`. */
function isChained({ on, children }: Attribute): boolean {
  return on !== null || children.some(isChained)
}
