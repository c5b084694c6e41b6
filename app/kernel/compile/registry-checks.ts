import { noPersister, noProvider } from '../data/no-provider.ts'
import { chainEnd } from '../data/selection.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { linkFault } from '../lib/link.ts'
import type { EntityShape, PropertyShape } from '../schema/entity-shape.ts'
import type { Attribute, Field, Relation } from '../schema/field.ts'
import type { Registry, ResourceType } from '../schema/resource-type.ts'
import type { OperationName } from '../schema/url-shape.ts'
import { bindAttributes } from './bind-attributes.ts'
import { scalarNames } from './scalar-names.ts'

/** https://jsonapi.org/format/1.1/#document-member-names */
const memberName = /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff_ -]*[a-zA-Z0-9\u0080-\uffff])?$/
/** The store may limit names, to 63 bytes in most cases; its columns may have a prefix before the name of a field. */
const maxNameBytes = 50
const segmentName = /^(?!-)[^/?#[\]]+$/
const reserved = new Set(['id', 'type', 'lid'])
const reservedRelations = new Set(['relationships', '_self_'])

export function checkNames(type: ResourceType, fields: readonly Field[], registry: Registry): void {
  if (!memberName.test(type.name)) registry.fail(type, null, `'${type.name}' is not a legal type name.`)
  if (!segmentName.test(type.uriType)) registry.fail(type, null, `'${type.uriType}' cannot be a URL segment.`)
  const seen = new Set<string>()
  for (const { role, name, property } of fields) {
    if (role === 'id') continue
    if (reserved.has(name)) registry.fail(type, name, `A field cannot be called '${name}'.`)
    else if (role === 'relation' && reservedRelations.has(name)) {
      registry.fail(type, name, `A relation cannot be called '${name}'.`)
    } else if (!memberName.test(name)) registry.fail(type, name, `'${name}' is not a legal member name.`)
    for (const column of new Set([name, property ?? ''])) {
      if (Buffer.byteLength(column) <= maxNameBytes) continue
      registry.fail(type, name, `'${column}' has more than ${maxNameBytes} bytes, the limit for the name of a field.`)
    }
    if (seen.has(name))
      registry.fail(type, name, 'Attributes and relations share one namespace; this name is used twice.')
    seen.add(name)
  }
}

/** Checks constant links. Those of a function are checked when they are rendered. */
export function checkDeclaredLinks(type: ResourceType, registry: Registry): void {
  const { links = {} } = type.declaration
  if (typeof links === 'function') return
  for (const [name, link] of Object.entries(links)) {
    const fault = memberName.test(name) ? linkFault(link) : 'does not have a legal member name.'
    if (fault !== null) registry.fail(type, 'links', `The link '${name}' ${fault}`)
  }
}

/** The id of a type is one value, so that a row has no other row's id. */
export function checkKey(type: ResourceType, registry: Registry): void {
  const { name, keyColumns = [] } = type.shape
  if (keyColumns.length < 2) return
  const columns = `(${keyColumns.join(', ')})`
  const accepted = `Accepted: one key column, such as a generated id, with a unique constraint on ${columns}.`
  registry.fail(type, null, `The key of ${name} has several columns ${columns}; a type has one id. ${accepted}`)
}

export function checkProperties(type: ResourceType, registry: Registry): void {
  for (const field of type.attributes) {
    for (const stored of field.kind === 'map' ? field.children : [field]) {
      const { name, property, on } = stored
      if (!property || on) continue
      if (type.shape.properties.get(property)?.role !== 'scalar') {
        registry.fail(type, name, noAttribute(type.shape, property))
      } else if (isWritten(type, field)) checkWriter(type, name, stored, type.shape, registry)
    }
  }
  for (const { name, readOnlyOnCreate, readOnlyOnUpdate, writeOnly } of type.attributes) {
    if (readOnlyOnCreate === true && readOnlyOnUpdate === true && writeOnly === true) {
      registry.fail(type, name, 'A field that is read-only and write-only can neither be read nor written.')
    }
  }
}

function noAttribute(shape: EntityShape, property: string | null): string {
  const suggestion = didYouMean(property, scalarNames(shape))
  return `${shape.name} has no property '${property}' that could be an attribute.${suggestion}`
}

/** Whether requests may set the value and the kernel assigns it to a property of the entity. */
function isWritten(
  { operations, declaration }: ResourceType,
  { fill, readOnlyOnCreate, readOnlyOnUpdate }: Attribute,
): boolean {
  if (fill || declaration.persister || declaration.hydrator) return false
  return (
    (operations.has('Create') && readOnlyOnCreate !== true) || (operations.has('Update') && readOnlyOnUpdate !== true)
  )
}

/** Assigning a property has no effect if another one writes its column. */
function checkWriter(
  type: ResourceType,
  member: string,
  attribute: Attribute,
  { name, properties }: EntityShape,
  registry: Registry,
): void {
  const { property } = attribute
  const writer = properties.get(property as string)?.writtenWith
  if (!writer || !isWritten(type, attribute)) return
  const accepted = `Accepted: readOnly(), or fillUsing() with a function that sets '${writer}'.`
  registry.fail(type, member, `${name}.${property} is written with '${writer}'. ${accepted}`)
}

/** Every exposed operation needs a provider, a persister or a hydrator. */
export function checkCapabilities(type: ResourceType, registry: Registry): void {
  const { operations, isStandalone, declaration, provider, persister } = type
  const exposes = (...names: OperationName[]) => names.some((name) => operations.has(name))
  if (exposes('FetchCollection', 'FetchOne') && provider === noProvider) {
    registry.fail(type, null, 'It is exposed for reading, but no provider reads it.')
  }
  if (exposes('Create', 'Update', 'Delete') && persister === noPersister) {
    registry.fail(type, null, 'It is exposed for writing, but no persister writes it.')
  }
  const isWritable = type.attributes.some(({ property, fill }) => property !== null || fill !== null)
  if (isStandalone && exposes('Create', 'Update') && !declaration.hydrator && !isWritable) {
    registry.fail(type, null, 'It is exposed for writing, but no hydrator reads the documents.')
  }
  if (declaration.hydrator && typeof declaration.hydrator.hydrate !== 'function') {
    registry.fail(type, 'hydrator', 'A hydrator has a method hydrate().')
  }
  const readers = Object.values(declaration.serializer?.attributes ?? {})
  if (declaration.serializer && !(readers.length > 0 && readers.every((read) => typeof read === 'function'))) {
    registry.fail(type, 'serializer', 'A serializer has attributes, each a function.')
  }
}

/** The path of `on()` consists of to-one relations and ends at a property. */
export function checkChains(type: ResourceType, registry: Registry): void {
  for (const attribute of type.attributes) {
    const { name, on, property, extract } = attribute
    if (!on) continue
    const end = chainEnd(type, attribute)
    const fail = (message: string) => registry.fail(type, name, message)
    if (type.isStandalone) fail('on() reads the database, but the rows of this type are not stored there.')
    else if (extract) fail('A computed field has no property in another object: use either computedUsing() or on().')
    else if (!end) fail(`'${on.join('.')}' is not a path of to-one relations.`)
    else if (!property || end.shape.properties.get(property)?.role !== 'scalar') {
      fail(noAttribute(end.shape, property))
    } else {
      bindAttributes([attribute], end.shape.properties, (member, message) => registry.fail(type, member, message))
      checkWriter(type, name, attribute, end.shape, registry)
    }
  }
}

export function checkRelations(type: ResourceType, registry: Registry): void {
  for (const relation of type.relations) {
    const { name, property, kind, segment } = relation
    const shape = type.shape.properties.get(property as string)
    if (!shape || !fitsShape(relation, shape)) {
      const suitable = [...type.shape.properties.values()].filter((other) => fitsShape(relation, other))
      const names = suitable.map((other) => other.name)
      const message = `${type.shape.name} has no property '${property}' that is a ${kind}.`
      registry.fail(type, name, message + didYouMean(property, names))
    } else {
      checkTargets(type, relation, shape, registry)
      checkPivot(type, relation, shape, registry)
      if (shape.keepsMembers && kind !== 'morphToMany') {
        Object.assign(relation, { cannotReplace: true, cannotRemove: true })
      }
    }
    if (!segmentName.test(segment)) registry.fail(type, name, `'${segment}' cannot be a URL segment.`)
    if (type.relationsBySegment.get(segment)?.name !== name) {
      registry.fail(type, name, `Another relation has the URL segment '${segment}'.`)
    }
  }
}

function fitsShape({ kind, toMany, throughProperty }: Relation, { role, owner, targets = [] }: PropertyShape): boolean {
  if (role !== (toMany ? 'toMany' : 'toOne')) return false
  if (kind === 'morphToMany') return throughProperty !== null
  if (kind === 'morphTo') return owner && targets.length > 1
  return targets.length === 1 && (kind === 'hasOne' ? !owner : kind !== 'belongsTo' || owner)
}

/** The declared types have the entities that the property refers to, and each row identifies its type. */
function checkTargets(type: ResourceType, relation: Relation, shape: PropertyShape, registry: Registry): void {
  for (const target of relation.targets) {
    const isShared = relation.targets.some((other) => other !== target && other.entity === target.entity)
    if (!isShared || target.declaration.typeOf) continue
    const message = `'${target.name}' shares its entity with another type of the relation, and has no typeOf() that distinguishes them.`
    registry.fail(type, relation.name, message)
  }
  for (const target of relation.targets) {
    // The property of a morphToMany leads to the association entity.
    const isReached = relation.kind === 'morphToMany' ? !target.isStandalone : shape.targets?.includes(target.entity)
    if (isReached) continue
    const message = `The property '${relation.property}' does not lead to the entity of '${target.name}'.`
    registry.fail(type, relation.name, message)
  }
}

/** The association entity connects the two sides and has a property for each pivot field. */
function checkPivot(type: ResourceType, relation: Relation, shape: PropertyShape, registry: Registry): void {
  const { name, pivotEntity, pivotShape, pivotFields } = relation
  if (!pivotEntity) {
    if (pivotFields.length > 0)
      registry.fail(type, name, 'Its pivot fields need through() with the association entity.')
  } else if (!pivotShape || shape.association !== pivotEntity) {
    registry.fail(type, name, `The rows of '${relation.property}' are not those of the entity ${pivotEntity.name}.`)
  } else {
    for (const field of pivotFields) {
      const { property } = field
      if (property && pivotShape.properties.get(property)?.role === 'scalar') {
        checkWriter(type, name, field, pivotShape, registry)
      } else {
        const message = `${pivotShape.name} has no property '${property}' for the pivot field '${field.name}'.`
        registry.fail(type, name, message + didYouMean(property, scalarNames(pivotShape)))
      }
    }
  }
}
