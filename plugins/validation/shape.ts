/** The part of JSON Schema a shape may be written in. */
export interface ShapeSchema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'
  readonly const?: string | number | boolean | null
  readonly enum?: readonly (string | number | boolean | null)[]
  readonly properties?: Readonly<Record<string, ShapeSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
  readonly items?: ShapeSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

/** What a free object must look like: one, any or all of some schemas. */
export interface Shape {
  readonly shape: 'oneOf' | 'anyOf' | 'allOf'
  readonly schemas: readonly ShapeSchema[]
  readonly member: string | null
  /** The member whose constant says which of the schemas is meant. */
  discriminator(member: string): Shape
}

/** `arrayHash('availability').constrain(shape.anyOf({ … }, { … }))` */
export const shape = {
  oneOf: (...schemas: readonly ShapeSchema[]) => createShape('oneOf', schemas, null),
  anyOf: (...schemas: readonly ShapeSchema[]) => createShape('anyOf', schemas, null),
  allOf: (...schemas: readonly ShapeSchema[]) => createShape('allOf', schemas, null),
} as const

function createShape(kind: Shape['shape'], schemas: readonly ShapeSchema[], member: string | null): Shape {
  return { shape: kind, schemas, member, discriminator: (name) => createShape(kind, schemas, name) }
}

export function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && 'shape' in value
}
