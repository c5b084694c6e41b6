import type { Identifier, InputOptions, LinkageInput } from '../../contract/operation.ts'
import {
  linkageTooLarge,
  localIdNotSupported,
  relationshipTypeInappropriate,
  requestBodyInvalidJsonApi,
  resourceIdentifierIdInvalid,
  resourceIdentifierIdMissing,
  resourceIdentifierLidInvalid,
  resourceIdentifierTypeInvalid,
  resourceIdentifierTypeMissing,
} from '../../errors/core-errors.ts'
import { type ErrorSource, type Phrase, phrase } from '../../errors/errors.ts'
import type { Faults } from '../../errors/faults.ts'
import { isObject } from '../../lib/is-object.ts'
import type { Relation } from '../../schema/field.ts'

/** Checks the structure of a relationship inside a resource. Returns null if it has a fault. */
export function readRelationship(
  relation: Relation,
  value: unknown,
  pointer: string,
  options: InputOptions,
  faults: Faults,
): LinkageInput | null {
  if (isObject(value) && value.data !== undefined) {
    return parseLinkage(relation, value.data, `${pointer}/data`, options, faults)
  }
  const reason = phrase("the relationship '{relationship}' must have data", { relationship: relation.name })
  faults.push(requestBodyInvalidJsonApi({ reason }, at(pointer)))
  return null
}

/** What the linkage of a relation must be. */
export function expectedLinkage({ toMany }: Relation): Phrase {
  return phrase(toMany ? 'a list of resource identifiers' : 'one resource identifier or null')
}

/** Checks the structure of linkage: an identifier, a list or null, by the relation. Returns null if it has a fault. */
export function parseLinkage(
  relation: Relation,
  data: unknown,
  pointer: string,
  options: InputOptions,
  faults: Faults,
): LinkageInput | null {
  if (Array.isArray(data) !== relation.toMany) {
    const context = { relationship: relation.name, expected: expectedLinkage(relation) }
    faults.push(relationshipTypeInappropriate(context, at(pointer)))
    return null
  }
  const { count } = faults
  if (Array.isArray(data)) {
    const limit = memberLimit(relation, options)
    if (data.length > limit) {
      const context = { relationship: relation.name, count: data.length, limit }
      faults.push(linkageTooLarge(context, at(pointer)))
      return null
    }
    for (const [index, member] of data.entries()) checkIdentifier(member, `${pointer}/${index}`, options, faults)
  } else if (data !== null) {
    checkIdentifier(data, pointer, options, faults)
  }
  return faults.count > count ? null : { relation, data: data as Identifier | Identifier[] | null, pointer }
}

/** The larger of the limit of requests and the limit of the relation. */
function memberLimit({ maxMembers }: Relation, { limits: { linkageMembers } }: InputOptions): number {
  return linkageMembers === 0 ? Number.POSITIVE_INFINITY : Math.max(linkageMembers, maxMembers ?? 0)
}

function checkIdentifier(value: unknown, pointer: string, { acceptsLocalIds }: InputOptions, faults: Faults): void {
  if (!isObject(value)) {
    faults.push(requestBodyInvalidJsonApi({ reason: phrase('a resource identifier must be an object') }, at(pointer)))
    return
  }
  const { type, id, lid, meta } = value
  if (type === undefined) faults.push(resourceIdentifierTypeMissing({}, at(pointer)))
  else if (typeof type !== 'string' || type === '')
    faults.push(resourceIdentifierTypeInvalid({}, at(`${pointer}/type`)))
  if (lid !== undefined) {
    if (typeof lid !== 'string' || lid === '') faults.push(resourceIdentifierLidInvalid({}, at(`${pointer}/lid`)))
    else if (!acceptsLocalIds) faults.push(localIdNotSupported({ lid }, at(`${pointer}/lid`)))
  } else if (id === undefined) faults.push(resourceIdentifierIdMissing({}, at(pointer)))
  else if (typeof id !== 'string' || id === '') faults.push(resourceIdentifierIdInvalid({}, at(`${pointer}/id`)))
  if (meta !== undefined && !isObject(meta)) {
    const reason = phrase('the meta of a resource identifier must be an object')
    faults.push(requestBodyInvalidJsonApi({ reason }, at(`${pointer}/meta`)))
  }
}

/** Error options with a pointer as source. */
export function at(pointer: string): { source: ErrorSource } {
  return { source: { pointer } }
}
