import type { Attribute, EntityShape, Relation, ResourceType } from '#kernel/plugin'
import type { DescribedAttribute, Schema } from '#openapi'
import { pascalCase } from './names.ts'

export type Moment = DescribedAttribute['moment']

/** An object whose members are attributes; plugins refine these before they become properties. */
export interface AttributesObject {
  readonly schema: Schema
  readonly members: readonly DescribedAttribute[]
}

/** Where attributes stand: on a type, on the association rows of a relation, or inside a stored value. */
export interface Place {
  readonly type: ResourceType
  readonly relation: Relation | null
  readonly shape: EntityShape | null
  /** What the names of components begin with. */
  readonly name: string
}

/** The object of some attributes at a moment; objects inside come before those around them. */
export function describeAttributes(attributes: readonly Attribute[], moment: Moment, place: Place): AttributesObject[] {
  const inner: AttributesObject[] = []
  const members = attributes
    .filter((attribute) => hasPart(attribute, moment))
    .map((attribute) => {
      const name = place.name + pascalCase(attribute.name)
      const schema = schemaOf(attribute, moment, { ...place, name }, inner)
      const { description, example } = attribute.options
      if (description !== undefined) schema.description = description
      if (example !== undefined) schema.examples = [example]
      const { type, relation } = place
      const nullable = isNullable(attribute, moment, place.shape)
      return { attribute, type, relation, moment, name, schema, nullable, required: false }
    })
  return [...inner, { schema: { type: 'object', properties: {} }, members }]
}

/** Puts the members into their object, as plugins left them. */
export function closeAttributes({ schema, members }: AttributesObject): void {
  const properties = schema.properties as Record<string, Schema>
  for (const { attribute, schema: own, nullable } of members) {
    properties[attribute.name] = nullable ? orNull(own) : own
  }
  const required = members.filter((member) => member.required).map(({ attribute }) => attribute.name)
  if (required.length > 0) schema.required = [...(schema.required ?? []), ...required]
}

/** The value, or null. A schema without a type takes everything already. */
export function orNull({ description, examples, ...schema }: Schema): Schema {
  const said = { ...(description !== undefined && { description }), ...(examples !== undefined && { examples }) }
  if (typeof schema.type === 'string' && !('enum' in schema) && !('const' in schema) && !('anyOf' in schema)) {
    return { ...schema, type: [schema.type, 'null'], ...said }
  }
  return Object.keys(schema).length === 0 ? said : { anyOf: [schema, { type: 'null' }], ...said }
}

/** What only some requesters see or write is described for all: the permissive superset. */
function hasPart({ hidden, writeOnly, readOnlyOnCreate, readOnlyOnUpdate }: Attribute, moment: Moment): boolean {
  if (hidden === true) return false
  if (moment === 'read') return writeOnly !== true
  return (moment === 'create' ? readOnlyOnCreate : readOnlyOnUpdate) !== true
}

/** A value that is read from a column that always holds one is never null; of any other nobody can tell. */
function isNullable(attribute: Attribute, moment: Moment, shape: EntityShape | null): boolean {
  const { kind, property, extract, on, serialize } = attribute
  if (moment === 'read' && serialize) return false
  if (kind === 'map' || property === null || on || shape === null) return true
  const column = shape.properties.get(property)
  return (column?.nullable ?? true) || (moment === 'read' && extract !== null)
}

const plain: Readonly<Partial<Record<Attribute['kind'], Schema>>> = {
  email: { type: 'string', format: 'idn-email' },
  url: { type: 'string', format: 'uri' },
  uuid: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$' },
  arrayList: { type: 'array', items: {} },
  arrayHash: { type: 'object', additionalProperties: true },
}

function schemaOf(attribute: Attribute, moment: Moment, place: Place, inner: AttributesObject[]): Schema {
  // A finished value may be of any form, unless its type says which.
  if (moment === 'read' && attribute.serialize) return { ...place.type.declaration.schemas?.[attribute.name] }
  const nest = (attributes: readonly Attribute[], shape: EntityShape | null, name = place.name): Schema => {
    const objects = describeAttributes(attributes, moment, { ...place, shape, name })
    inner.push(...objects)
    return (objects.at(-1) as AttributesObject).schema
  }
  switch (attribute.kind) {
    case 'map':
      return nest(attribute.children, place.shape)
    case 'obj':
      return nest(attribute.children, null)
    case 'oneOf':
      return variantsOf(attribute)
    case 'dateTime':
      return attribute.format === null || moment !== 'read'
        ? { type: 'string', format: 'date-time' }
        : { type: 'string' }
    default:
      return { ...(plain[attribute.kind] ?? { type: 'string' }) }
  }

  /** A change may leave out which variant it is: then it is the stored one. */
  function variantsOf({ discriminator, variants }: Attribute): Schema {
    const isChange = moment === 'update'
    const schemas = [...variants].map(([variant, children]) => {
      const schema = nest(children, null, place.name + pascalCase(variant))
      schema.properties = { [discriminator]: { type: 'string', const: variant } }
      if (!isChange) schema.required = [discriminator]
      return schema
    })
    return isChange ? { anyOf: schemas } : { oneOf: schemas }
  }
}
