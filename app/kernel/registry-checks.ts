import type { Attribute, Field } from './fields/definition.ts'
import type { Registry } from './registry.ts'
import type { ResourceType } from './resource.ts'
import { chainEnd } from './selection.ts'

/** https://jsonapi.org/format/1.1/#document-member-names */
const memberName = /^[a-zA-Z0-9\u0080-\uffff]([a-zA-Z0-9\u0080-\uffff_ -]*[a-zA-Z0-9\u0080-\uffff])?$/
const reserved = new Set(['id', 'type', 'lid'])
const reservedRelations = new Set(['relationships', '_self_'])

export function checkNames(type: ResourceType, fields: readonly Field[], registry: Registry): void {
  if (!memberName.test(type.name)) registry.fail(type, null, `'${type.name}' is not a legal type name.`)
  if (type.uriType.startsWith('-') || !/^[^/?#[\]]+$/.test(type.uriType)) {
    registry.fail(type, null, `'${type.uriType}' cannot be a URL segment.`)
  }
  const seen = new Set<string>()
  for (const { role, name } of fields) {
    if (role === 'id') continue
    if (reserved.has(name)) registry.fail(type, name, `A field cannot be called '${name}'.`)
    else if (role === 'relation' && reservedRelations.has(name)) {
      registry.fail(type, name, `A relation cannot be called '${name}'.`)
    } else if (!memberName.test(name)) registry.fail(type, name, `'${name}' is not a legal member name.`)
    if (seen.has(name))
      registry.fail(type, name, 'Attributes and relations share one namespace; this name is used twice.')
    seen.add(name)
  }
}

export function checkProperties(type: ResourceType, registry: Registry): void {
  const stored = type.attributes.flatMap((field): readonly Attribute[] =>
    field.kind === 'map' ? field.children : [field],
  )
  for (const { name, property, on } of stored) {
    if (property && !on && type.shape.properties.get(property)?.role !== 'scalar') {
      registry.fail(type, name, `${type.shape.name} has no property '${property}' that could be an attribute.`)
    }
  }
  for (const { name, readOnlyOnCreate, readOnlyOnUpdate, writeOnly } of type.attributes) {
    if (readOnlyOnCreate === true && readOnlyOnUpdate === true && writeOnly === true) {
      registry.fail(type, name, 'A field that is read-only and write-only can neither be read nor written.')
    }
  }
}

/** An attribute read through relations: every hop a to-one, and a property at the end. */
export function checkChains(type: ResourceType, registry: Registry): void {
  for (const attribute of type.attributes) {
    const { name, on, property, extract } = attribute
    if (!on) continue
    const end = chainEnd(type, attribute)
    if (extract)
      registry.fail(type, name, 'A computed field is not held by another object: say computedUsing() or on().')
    else if (!end) registry.fail(type, name, `'${on.join('.')}' is not a path of to-one relations.`)
    else if (!property || end.shape.properties.get(property)?.role !== 'scalar') {
      registry.fail(type, name, `${end.shape.name} has no property '${property}' that could be an attribute.`)
    }
  }
}

export function checkRelations(type: ResourceType, registry: Registry): void {
  for (const { name, property, kind, toMany, target, targetName, segment } of type.relations) {
    const shape = type.shape.properties.get(property as string)
    const expected = toMany ? 'toMany' : 'toOne'
    if (shape?.role !== expected || (kind === 'belongsTo' && !shape.owner) || (kind === 'hasOne' && shape.owner)) {
      registry.fail(type, name, `${type.shape.name} has no property '${property}' that is a ${kind}.`)
    } else if (target && shape.target !== target.entity) {
      registry.fail(type, name, `The property '${property}' does not lead to the entity of '${targetName}'.`)
    }
    if (segment.startsWith('-')) registry.fail(type, name, `'${segment}' cannot be a URL segment.`)
  }
}
