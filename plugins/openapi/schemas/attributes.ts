import type { Attribute, EntityShape, Relation, ResourceType } from '#kernel/plugin'
import type { DescribedAttribute, Schema } from '#openapi'
import { pascalCase } from '../names.ts'

export type Usage = DescribedAttribute['usage']

/** An object whose members are attributes. Plugins may change them before they become properties. */
export interface AttributesObject {
  readonly schema: Schema
  readonly members: readonly DescribedAttribute[]
}

/** The owner of attributes: a type, the join table of a relation, or a nested object. */
interface AttributeOwner {
  readonly type: ResourceType
  readonly relation: Relation | null
  readonly shape: EntityShape | null
  /** The prefix of component names. */
  readonly name: string
}

/** Describes attributes for `read`, `create` or `update`. Returns nested objects first, the object itself last. */
export function describeAttributes(
  attributes: readonly Attribute[],
  usage: Usage,
  owner: AttributeOwner,
): AttributesObject[] {
  const inner: AttributesObject[] = []
  const members = attributes
    .filter((attribute) => isInUsage(attribute, usage))
    .map((attribute) => {
      const name = owner.name + pascalCase(attribute.name)
      const schema = describeValue(attribute, usage, { ...owner, name }, inner)
      const { description, example, deprecated } = attribute.options
      if (description !== undefined) schema.description = description
      if (example !== undefined) schema.examples = [example]
      if (deprecated) schema.deprecated = true
      const { type, relation } = owner
      const nullable = isNullable(attribute, usage, owner.shape)
      return { attribute, type, relation, usage, name, schema, nullable, required: false }
    })
  return [...inner, { schema: { type: 'object', properties: {} }, members }]
}

/**
 * Adds the members, as plugins changed them, to the schema of their object. Pivot fields are required of a new membership only,
 * which the schema cannot tell from a row that is linked already.
 */
export function addProperties({ schema, members }: AttributesObject): void {
  const properties = schema.properties as Record<string, Schema>
  for (const { attribute, schema: own, nullable } of members) {
    properties[attribute.name] = nullable ? orNull(own) : own
  }
  const required = members.filter((member) => member.required).map(({ attribute }) => attribute.name)
  if (required.length === 0) return
  if (members.some(({ relation }) => relation)) schema['x-client'] = { required }
  else schema.required = [...(schema.required ?? []), ...required]
}

/** Keywords that reject null even if `type` allows it. */
const restrictingKeywords = ['enum', 'const', 'anyOf', 'allOf', 'oneOf']

/** Returns the schema with null allowed. An empty schema already allows it. */
function orNull({ description, examples, deprecated, ...schema }: Schema): Schema {
  const annotations = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...(deprecated !== undefined && { deprecated }),
  }
  if (typeof schema.type === 'string' && !restrictingKeywords.some((keyword) => keyword in schema)) {
    return { ...schema, type: [schema.type, 'null'], ...annotations }
  }
  return Object.keys(schema).length === 0 ? annotations : { anyOf: [schema, { type: 'null' }], ...annotations }
}

/** Whether at least one requester may read or write the attribute; the document is the same for all requesters. */
function isInUsage({ hidden, writeOnly, readOnlyOnCreate, readOnlyOnUpdate }: Attribute, usage: Usage): boolean {
  if (hidden === true) return false
  if (usage === 'read') return writeOnly !== true
  return (usage === 'create' ? readOnlyOnCreate : readOnlyOnUpdate) !== true
}

/** Whether every requester reads the attribute. */
export function isAlwaysShown({ hidden, hiddenFor, writeOnly }: Attribute): boolean {
  return hidden === false && hiddenFor === null && writeOnly === false
}

/** Whether the value may be null: false only for the plain value of a column that is not nullable. */
function isNullable(attribute: Attribute, usage: Usage, shape: EntityShape | null): boolean {
  const { kind, property, extract, on, serialize } = attribute
  if (usage === 'read' && serialize) return false
  if (kind === 'map' || property === null || on || shape === null) return true
  const column = shape.properties.get(property)
  return (column?.nullable ?? true) || (usage === 'read' && extract !== null)
}

const schemasByKind: Readonly<Partial<Record<Attribute['kind'], Schema>>> = {
  email: { type: 'string', format: 'idn-email' },
  url: { type: 'string', format: 'uri' },
  uuid: { type: 'string', format: 'uuid' },
  integer: { type: 'integer' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  arrayHash: { type: 'object', additionalProperties: true },
}

/** Describes an item by the column, unless a function converts the list. A stored list may have null, a sent one may not. */
function describeItem(
  { property, on, extract, fill, deserialize }: Attribute,
  usage: Usage,
  shape: EntityShape | null,
): Schema {
  const isConverted = usage === 'read' ? extract : (fill ?? deserialize)
  const { itemTypes, holdsItem } = (property !== null && !on && !isConverted && shape?.properties.get(property)) || {}
  if (!itemTypes) return {}
  const types = usage === 'read' || holdsItem?.(null) ? [...itemTypes, 'null'] : itemTypes
  return { type: types.length === 1 ? types[0] : types } as Schema
}

const wholeSeconds = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]'

function timeOfDay({ fractional }: Attribute): string {
  return fractional ? `(${wholeSeconds}(\\.[0-9]{1,6})?|24:00:00)` : wholeSeconds
}

function describeTime(format: string, { infinite }: Attribute): Schema {
  const time = { type: 'string', format }
  return infinite ? { anyOf: [time, { type: 'string', enum: ['infinity', '-infinity'] }] } : time
}

function describeValue(attribute: Attribute, usage: Usage, owner: AttributeOwner, inner: AttributesObject[]): Schema {
  // A value computed by a function may have any type, unless the declaration has a schema for it.
  if (usage === 'read' && attribute.serialize) return { ...owner.type.declaration.schemas?.[attribute.name] }
  const nest = (attributes: readonly Attribute[], shape: EntityShape | null, name = owner.name): Schema => {
    const objects = describeAttributes(attributes, usage, { ...owner, shape, name })
    inner.push(...objects)
    return (objects.at(-1) as AttributesObject).schema
  }
  switch (attribute.kind) {
    case 'map':
      return nest(attribute.children, owner.shape)
    case 'obj':
      return nest(attribute.children, null)
    case 'oneOf':
      return describeVariants(attribute)
    case 'arrayList':
      return { type: 'array', items: describeItem(attribute, usage, owner.shape) }
    case 'time':
      return { type: 'string', pattern: `^${timeOfDay(attribute)}$` }
    case 'date':
      return describeTime('date', attribute)
    case 'dateTime':
      return attribute.format === null || usage !== 'read' ? describeTime('date-time', attribute) : { type: 'string' }
    default:
      return { ...(schemasByKind[attribute.kind] ?? { type: 'string' }) }
  }

  /** An update may omit the discriminator: the stored variant applies. */
  function describeVariants({ discriminator, variants }: Attribute): Schema {
    const isChange = usage === 'update'
    const schemas = [...variants].map(([variant, children]) => {
      const schema = nest(children, null, owner.name + pascalCase(variant))
      schema.properties = { [discriminator]: { type: 'string', const: variant } }
      const shown = usage === 'read' ? children.filter(isAlwaysShown).map(({ name }) => name) : []
      if (!isChange) schema.required = [discriminator, ...shown]
      return schema
    })
    return isChange ? { anyOf: schemas } : { oneOf: schemas }
  }
}
