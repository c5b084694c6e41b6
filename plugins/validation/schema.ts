import Joi from 'joi'
import { type Attribute, codecOf, type PropertyShape, type ResourceType } from '#kernel'
import type { Rules } from './rules.ts'

type Moment = 'create' | 'update'

/** The schema of a type's attributes at a moment, compiled once. */
export function compileSchema(type: ResourceType, moment: Moment): Joi.ObjectSchema {
  return Joi.object(schemasOf(type.attributes, type, moment)).prefs({ errors: { wrap: { label: "'" } } })
}

function schemasOf(attributes: readonly Attribute[], type: ResourceType, moment: Moment): Joi.SchemaMap {
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, schemaOf(attribute, type, moment)]))
}

function schemaOf(attribute: Attribute, type: ResourceType, moment: Moment): Joi.Schema {
  const rules = attribute.options.rules ?? {}
  const schema = limit(kindOf(attribute, type, moment, rules), rules)
  const required = moment === 'create' && rules.required ? schema.required() : schema
  return rules.nullable ? required.allow(null) : required
}

/** The JSON type of a kind, and what its column can hold. */
function kindOf(attribute: Attribute, type: ResourceType, moment: Moment, rules: Rules): Joi.Schema {
  const column = attribute.property ? type.shape.properties.get(attribute.property) : undefined
  switch (attribute.kind) {
    case 'integer':
    case 'decimal': {
      const number = attribute.kind === 'integer' ? Joi.number().integer() : Joi.number()
      const [min, max] = column?.range ?? []
      return min === undefined || max === undefined ? number : number.min(min).max(max)
    }
    case 'boolean':
      return Joi.boolean()
    case 'arrayList': {
      const list = Joi.array().custom(ofKind(attribute)).custom(ofColumn(column))
      return rules.required ? list.min(1) : list
    }
    case 'obj':
    case 'oneOf':
    case 'arrayHash':
      return Joi.object().custom(ofKind(attribute))
    case 'map':
      return Joi.object(schemasOf(attribute.children, type, moment))
    default: {
      const mayBeEmpty = attribute.kind === 'string' && !rules.required && !rules.in && !rules.minLength
      const any = mayBeEmpty ? Joi.string().allow('') : Joi.string()
      const text = rules.required ? any.pattern(/\S/, 'not blank') : any
      const format = attribute.kind === 'url' ? text.uri({ scheme: ['http', 'https'] }) : text.custom(ofKind(attribute))
      return column?.maxLength === undefined ? format : format.max(column.maxLength)
    }
  }
}

function limit(schema: Joi.Schema, rules: Rules): Joi.Schema {
  let limited = schema as Joi.StringSchema & Joi.NumberSchema & Joi.ArraySchema
  const lower = rules.minLength ?? rules.min ?? rules.minItems
  const upper = rules.maxLength ?? rules.max ?? rules.maxItems
  if (lower !== undefined) limited = limited.min(lower) as typeof limited
  if (upper !== undefined) limited = limited.max(upper) as typeof limited
  if (rules.uniqueItems) limited = limited.unique() as typeof limited
  return rules.in ? limited.valid(...rules.in) : limited
}

/** What the kernel could not store is not valid either. */
function ofKind(attribute: Attribute): Joi.CustomValidator {
  return (value, { error }) => (codecOf(attribute).fromWire(value) === undefined ? error('any.invalid') : value)
}

/** No item of a list is changed on its way into the column. */
function ofColumn(column: PropertyShape | undefined): Joi.CustomValidator {
  return (items: unknown[], { error }) =>
    column?.holdsItem && !items.every(column.holdsItem) ? error('any.invalid') : items
}
