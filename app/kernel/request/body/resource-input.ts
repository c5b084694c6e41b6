import type { Input, InputOptions, LinkageInput } from '../../contract/operation.ts'
import type { Target } from '../../contract/target.ts'
import { acceptedNames } from '../../errors/accepted-names.ts'
import {
  clientGeneratedIdNotSupported,
  clientGeneratedIdRequired,
  dataMemberMissing,
  requestBodyInvalidJsonApi,
  requiredTopLevelMembersMissing,
  resourceIdConflict,
  resourceIdentifierLidInvalid,
  resourceIdInvalid,
  resourceIdMissing,
  resourceIdUndecodable,
  resourceTypeMissing,
  resourceTypeUnacceptable,
  topLevelMemberNotAllowed,
  topLevelMembersIncompatible,
  validationFailed,
} from '../../errors/core-errors.ts'
import { phrase } from '../../errors/errors.ts'
import { Faults } from '../../errors/faults.ts'
import { isObject } from '../../lib/is-object.ts'
import type { Relation } from '../../schema/field.ts'
import { at, expectedLinkage, parseLinkage, readRelationship } from './linkage-input.ts'

type Json = Record<string, unknown>

/** Checks the structure of a document that creates or updates a resource, then its type and id. */
export function readResourceInput(document: unknown, target: Target, options: InputOptions): Input {
  const data = readTopLevel(document).data
  if (!isObject(data))
    throw dataMemberMissing({ expected: phrase('a resource object') }, at(data === undefined ? '' : '/data'))
  const faults = new Faults(options.limits.errors)
  checkIdentity(data, options, faults)
  const attributes = readObject(data, 'attributes', faults)
  const relationships = readObject(data, 'relationships', faults)
  const linkage = relationships ? readRelationships(relationships, target, options, faults) : []
  faults.throwAny()
  const id = (data.id as string | undefined) || undefined
  checkConflicts(data, id, target, options)
  const { lid } = data
  if (id === undefined && lid === undefined) return { attributes, linkage }
  return { ...(id && { id }), ...(typeof lid === 'string' && { lid }), attributes, linkage }
}

function readRelationships(sent: Json, target: Target, options: InputOptions, faults: Faults): LinkageInput[] {
  const linkage: LinkageInput[] = []
  for (const relation of target.type.relations) {
    if (!(relation.name in sent)) continue
    const pointer = `/data/relationships/${relation.name}` // the name of a field needs no escaping
    const input = readRelationship(relation, sent[relation.name], pointer, options, faults)
    if (input) linkage.push(input)
  }
  return linkage
}

/** Checks the structure of a linkage document. */
export function readLinkageInput(document: unknown, relation: Relation, options: InputOptions): Input {
  const body = readTopLevel(document)
  if (body.data === undefined) throw dataMemberMissing({ expected: expectedLinkage(relation) }, at(''))
  const faults = new Faults(options.limits.errors)
  const linkage = parseLinkage(relation, body.data, '/data', options, faults)
  faults.throwAny()
  return { attributes: null, linkage: linkage ? [linkage] : [] }
}

function readTopLevel(document: unknown): Json {
  if (!isObject(document)) throw requestBodyInvalidJsonApi({ reason: phrase('its root must be an object') }, at(''))
  const { data, errors, meta, included } = document
  if (data === undefined && errors === undefined && meta === undefined) throw requiredTopLevelMembersMissing()
  if (data !== undefined && errors !== undefined) throw topLevelMembersIncompatible()
  if (included !== undefined && data === undefined) throw topLevelMemberNotAllowed()
  return document
}

function checkIdentity({ type, id, lid }: Json, { update, acceptsLocalIds }: InputOptions, faults: Faults): void {
  if (type === undefined || type === '') faults.push(resourceTypeMissing({}, at('/data')))
  else if (typeof type !== 'string') faults.push(resourceTypeMissing({}, at('/data/type')))
  if (update && !acceptsLocalIds && (id === undefined || id === '')) faults.push(resourceIdMissing({}, at('/data')))
  else if (id !== undefined && typeof id !== 'string') faults.push(resourceIdInvalid({}, at('/data/id')))
  if (lid !== undefined && (typeof lid !== 'string' || lid === '')) {
    faults.push(resourceIdentifierLidInvalid({}, at('/data/lid')))
  }
}

function readObject(data: Json, member: string, faults: Faults): Json | null {
  const value = data[member]
  if (value === undefined) return null
  if (isObject(value)) return value
  const reason = phrase('{member} must be an object', { member })
  faults.push(requestBodyInvalidJsonApi({ reason }, at(`/data/${member}`)))
  return null
}

function checkConflicts(data: Json, id: string | undefined, target: Target, { update }: InputOptions): void {
  const { type } = target
  if (data.type !== type.name) {
    const sent = String(data.type)
    throw resourceTypeUnacceptable({ type: sent, expected: acceptedNames([type.name], sent) }, at('/data/type'))
  }
  if (update) {
    if (id !== undefined && target.id !== undefined && id !== target.id)
      throw resourceIdConflict({ id }, at('/data/id'))
  } else if (id !== undefined && type.id.clientId === 'forbidden') {
    throw clientGeneratedIdNotSupported({ type: type.name }, at('/data/id'))
  } else if (id === undefined && type.id.clientId === 'required') {
    throw clientGeneratedIdRequired({ type: type.name }, at('/data'))
  } else if (id !== undefined && !type.codec.accepts(id)) {
    const message = phrase("'{id}' does not have the form of an id of type '{type}'.", { id, type: type.name })
    throw validationFailed({ message }, at('/data/id'))
  } else if (id !== undefined && type.codec.decode(id) === undefined) {
    throw resourceIdUndecodable({ type: type.name, id }, at('/data/id'))
  }
}
