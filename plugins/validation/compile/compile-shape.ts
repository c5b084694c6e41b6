import Joi from 'joi'
import { phrase } from '#kernel/errors'
import type { ArraySchema, ObjectSchema, Shape, ShapeSchema } from '../shape.ts'
import { faultsBySchema, listedValueFault, matchesSchema, type ValueFault } from './joi-schemas.ts'
import { textOfLength } from './text-length.ts'
import { uniqueItems } from './unique-items.ts'

export type ShapeCheck = (value: unknown) => readonly ValueFault[]

export function compileShape({ shape: kind, schemas, member }: Shape, label: string): ShapeCheck {
  const compiled = schemas.map((schema) => toJoi(schema).required().label(label))
  if (kind === 'allOf') return (value) => compiled.flatMap((schema) => faultsBySchema(schema, value))
  if (member !== null) return checkSelected(schemas, compiled, member)
  const count = compiled.length
  return (value) => {
    const matching = compiled.filter((schema) => matchesSchema(schema, value)).length
    if (kind === 'anyOf' ? matching > 0 : matching === 1) return []
    const message =
      kind === 'anyOf'
        ? phrase("'{label}' must match at least one of its {count} schemas; it matches none.", { label, count })
        : phrase("'{label}' must match exactly one of its {count} schemas; it matches {matching}.", {
            label,
            count,
            matching,
          })
    return [{ path: [], message }]
  }
}

/** Returns the constant by which a schema is selected; undefined if it declares none for the member. */
export function findConstant({ properties }: ObjectSchema, member: string): unknown {
  const schema = properties?.[member]
  return schema && 'const' in schema ? schema.const : undefined
}

/** Validates against the one schema that the discriminator selects. */
function checkSelected(schemas: readonly ObjectSchema[], compiled: readonly Joi.Schema[], member: string): ShapeCheck {
  const constants = schemas.map((schema) => findConstant(schema, member))
  return (value) => {
    const object = value as Record<string, unknown>
    const schema = compiled[constants.indexOf(object[member])]
    if (schema && member in object) return faultsBySchema(schema, value)
    return [
      {
        path: member in object ? [member] : [],
        message: listedValueFault(member, constants, object[member]),
      },
    ]
  }
}

function toJoi(schema: ShapeSchema): Joi.Schema {
  if ('const' in schema) return Joi.valid(schema.const)
  if ('enum' in schema) return Joi.valid(...schema.enum)
  switch (schema.type) {
    case 'object':
      return toJoiObject(schema)
    case 'array':
      return toJoiArray(schema)
    case 'string': {
      const { minLength, maxLength, pattern } = schema
      const text = textOfLength(minLength, maxLength)
      return pattern === undefined ? text : text.pattern(new RegExp(pattern))
    }
    case 'number':
    case 'integer': {
      const { minimum, maximum } = schema
      const number = schema.type === 'integer' ? Joi.number().integer() : Joi.number()
      const above = minimum === undefined ? number : number.min(minimum)
      return maximum === undefined ? above : above.max(maximum)
    }
    case 'boolean':
      return Joi.boolean()
    default:
      return Joi.valid(null)
  }
}

function toJoiObject({ properties = {}, required = [], additionalProperties = true }: ObjectSchema): Joi.Schema {
  const declared = Object.entries(properties).map(([name, schema]) => {
    const member = toJoi(schema)
    return [name, required.includes(name) ? member.required() : member] as const
  })
  const undeclared = required
    .filter((name) => !(name in properties))
    .map((name) => [name, Joi.any().required()] as const)
  return Joi.object(Object.fromEntries([...declared, ...undeclared])).unknown(additionalProperties)
}

function toJoiArray(schema: ArraySchema): Joi.Schema {
  const { items, minItems = 0, maxItems } = schema
  let list: Joi.ArraySchema = items ? Joi.array().items(toJoi(items)) : Joi.array()
  list = maxItems === undefined ? list.min(minItems) : list.min(minItems).max(maxItems)
  return schema.uniqueItems ? uniqueItems(list) : list
}
