import Joi from 'joi'
import { phrase } from '#kernel/plugin'
import { accepts, type Flaw, flawsIn } from './compile/joi-schemas.ts'
import { unique } from './compile/unique-items.ts'

/** The part of JSON Schema a shape may be written in. */
export type ShapeSchema =
  | { readonly const: string | number | boolean | null }
  | { readonly enum: readonly (string | number | boolean | null)[] }
  | { readonly type: 'boolean' | 'null' }
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string }
  | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number }
  | ArraySchema
  | ObjectSchema

interface ArraySchema {
  readonly type: 'array'
  readonly items?: ShapeSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
}

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties?: Readonly<Record<string, ShapeSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

/** What a free object must look like: one, any or all of some schemas. */
export interface Shape {
  readonly shape: 'oneOf' | 'anyOf' | 'allOf'
  readonly schemas: readonly ObjectSchema[]
  readonly member: string | null
  /** The member whose constant says which of the schemas is meant. */
  discriminator(member: string): Shape
}

/** `arrayHash('availability').constrain(shape.anyOf({ … }, { … }))` */
export const shape = {
  oneOf: (...schemas: readonly ObjectSchema[]) => createShape('oneOf', schemas, null),
  anyOf: (...schemas: readonly ObjectSchema[]) => createShape('anyOf', schemas, null),
  allOf: (...schemas: readonly ObjectSchema[]) => createShape('allOf', schemas, null),
} as const

function createShape(kind: Shape['shape'], schemas: readonly ObjectSchema[], member: string | null): Shape {
  return { shape: kind, schemas, member, discriminator: (name) => createShape(kind, schemas, name) }
}

export function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && 'shape' in value
}

export type ShapeCheck = (value: unknown) => readonly Flaw[]

export function compileShape({ shape: kind, schemas, member }: Shape, label: string): ShapeCheck {
  const compiled = schemas.map((schema) => toJoi(schema).required().label(label))
  if (kind === 'allOf') return (value) => compiled.flatMap((schema) => flawsIn(schema, value))
  if (member !== null) return selected(schemas, compiled, member)
  return (value) => {
    const matching = compiled.filter((schema) => accepts(schema, value)).length
    if (kind === 'anyOf' ? matching > 0 : matching === 1) return []
    const words =
      matching === 0
        ? "'{label}' has none of the shapes it may have."
        : "'{label}' has more than one of the shapes of which it may have one."
    return [{ path: [], message: phrase(words, { label }) }]
  }
}

/** The constant a schema has for the member that selects it. */
export function constantOf({ properties }: ObjectSchema, member: string): unknown {
  const schema = properties?.[member]
  return schema && 'const' in schema ? schema.const : undefined
}

/** Only the schema that is meant is looked at. */
function selected(schemas: readonly ObjectSchema[], compiled: readonly Joi.Schema[], member: string): ShapeCheck {
  const constants = schemas.map((schema) => constantOf(schema, member))
  return (value) => {
    const object = value as Record<string, unknown>
    const schema = compiled[constants.indexOf(object[member])]
    if (schema && member in object) return flawsIn(schema, value)
    return [
      {
        path: member in object ? [member] : [],
        message: phrase("'{member}' must be one of {constants}.", { member, constants: constants.map(String) }),
      },
    ]
  }
}

function toJoi(schema: ShapeSchema): Joi.Schema {
  if ('const' in schema) return Joi.valid(schema.const)
  if ('enum' in schema) return Joi.valid(...schema.enum)
  switch (schema.type) {
    case 'object':
      return objectOf(schema)
    case 'array':
      return arrayOf(schema)
    case 'string': {
      const { minLength = 0, maxLength, pattern } = schema
      const text = maxLength === undefined ? Joi.string().min(minLength) : Joi.string().min(minLength).max(maxLength)
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

function objectOf({ properties = {}, required = [], additionalProperties = true }: ObjectSchema): Joi.Schema {
  const members = Object.entries(properties).map(([name, schema]) => {
    const member = toJoi(schema)
    return [name, required.includes(name) ? member.required() : member] as const
  })
  const others = required.filter((name) => !(name in properties)).map((name) => [name, Joi.any().required()] as const)
  return Joi.object(Object.fromEntries([...members, ...others])).unknown(additionalProperties)
}

function arrayOf({ items, minItems = 0, maxItems, uniqueItems }: ArraySchema): Joi.Schema {
  let list: Joi.ArraySchema = items ? Joi.array().items(toJoi(items)) : Joi.array()
  list = maxItems === undefined ? list.min(minItems) : list.min(minItems).max(maxItems)
  return uniqueItems ? unique(list) : list
}
