import { didYouMean } from '../errors/accepted-names.ts'
import type { PropertyShape } from '../schema/entity-shape.ts'
import type { Attribute } from '../schema/field.ts'

type Properties = ReadonlyMap<string, PropertyShape>
type Fail = (member: string, message: string) => void

/**
 * Completes attributes by the properties that store them: a formula is read-only, unless a function writes the value, and
 * the members of an embeddable are its properties.
 */
export function bindAttributes(attributes: readonly Attribute[], properties: Properties, fail: Fail): void {
  for (const attribute of attributes) {
    if (attribute.kind === 'map') bindAttributes(attribute.children, properties, fail)
    const property = attribute.property === null ? undefined : properties.get(attribute.property)
    if (property?.computed && !attribute.fill) {
      Object.assign(attribute, { readOnlyOnCreate: true, readOnlyOnUpdate: true })
    }
    if (property?.fractional) attribute.fractional = true
    if (property?.members) bindMembers(attribute, property.members, attribute.name, fail)
  }
}

function bindMembers(attribute: Attribute, members: Properties, path: string, fail: Fail): void {
  const { kind, extract, serialize } = attribute
  if (kind !== 'obj') {
    if (!extract && !serialize) fail(path, 'It is an embeddable: declare it as obj() with its properties.')
    return
  }
  attribute.embedded = true
  for (const child of attribute.children) {
    const member = `${path}.${child.name}`
    const property = members.get(child.property ?? child.name)
    if (!property) {
      const suggestion = didYouMean(child.property, members.keys())
      fail(member, `The embeddable has no property '${child.property}'.${suggestion}`)
    } else if (property.members) bindMembers(child, property.members, member, fail)
    else if (child.kind === 'map') fail(member, 'map() is for properties of the entity: use obj().')
  }
}
