/** The subset of JSON Schema that a shape is written in. */
export type ShapeSchema =
  | { readonly const: string | number | boolean | null }
  | { readonly enum: readonly (string | number | boolean | null)[] }
  | { readonly type: 'boolean' | 'null' }
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string }
  | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number }
  | ArraySchema
  | ObjectSchema

export interface ArraySchema {
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

/** A constraint on a free-form object: it must match one, any or all of the schemas. */
export interface Shape {
  readonly shape: 'oneOf' | 'anyOf' | 'allOf'
  readonly schemas: readonly ObjectSchema[]
  readonly member: string | null
  /** Names the member whose constant selects the schema to validate against. */
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
