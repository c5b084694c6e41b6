import type { Schema } from '#openapi'

/** The part of an OpenAPI document that types are written from. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> }
}
export interface DescribedOperation {
  readonly operationId: string
  readonly parameters?: readonly DescribedParameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}
interface DescribedResponse {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
interface DescribedParameter {
  readonly name: string
  readonly schema: Schema
  readonly 'x-client'?: ClientFacts
  readonly 'x-include-paths'?: readonly string[]
  readonly 'x-filterable'?: {
    readonly attributes: Readonly<Record<string, readonly string[]>>
    readonly relations: readonly string[]
  }
}
/** Facts for typed clients, in the extension `x-client` of the document. */
interface ClientFacts {
  readonly linked?: boolean
  readonly optional?: readonly string[]
  readonly required?: readonly string[]
  readonly default?: readonly string[]
  readonly singular?: boolean
  readonly presence?: boolean
}

/** Writes JSON Schemas as TypeScript types. */
export class SchemaText {
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor({ components }: Described) {
    this.#schemas = components.schemas ?? {}
  }

  /** The schema that a reference names. */
  resolve(given: Schema | boolean | undefined): Schema {
    const schema = typeof given === 'object' ? given : {}
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : this.resolve(this.#schemas[name])
  }

  /** The type of a value. `isRead`: objects without `required` have all their members. */
  writeType(given: Schema | boolean | undefined, isRead = false): string {
    const schema = this.resolve(given)
    const variants = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined
    if ('const' in schema) return JSON.stringify(schema.const)
    if (schema.enum) return union((schema.enum as readonly unknown[]).map((value) => JSON.stringify(value)))
    if (variants) return union(variants.map((one) => this.writeType(one, isRead)))
    if (schema.allOf) return (schema.allOf as readonly Schema[]).map((one) => this.writeType(one, isRead)).join(' & ')
    return union([schema.type ?? []].flat().map((type) => this.#byType(String(type), schema, isRead))) || 'unknown'
  }

  /** The members of an object type; `isOptional` overrides `required`. */
  membersOf(
    given: Schema | boolean | undefined,
    isRead = false,
    isOptional?: (name: string) => boolean,
  ): Map<string, string> {
    const { properties = {}, required } = this.resolve(given)
    const optional = isOptional ?? ((name: string) => (required ? !required.includes(name) : !isRead))
    return new Map(
      Object.entries(properties as Record<string, Schema>).map(([name, schema]) => [
        writeKey(name) + (optional(name) ? '?' : ''),
        this.writeType(schema, isRead),
      ]),
    )
  }

  #byType(type: string, schema: Schema, isRead: boolean): string {
    switch (type) {
      case 'integer':
      case 'number':
        return 'number'
      case 'array':
        return `readonly ${parenthesized(this.writeType(schema.items as Schema | undefined, isRead))}[]`
      case 'object':
        return schema.properties ? objectText(this.membersOf(schema, isRead)) : '{ readonly [name: string]: unknown }'
      default:
        return type
    }
  }
}

export function objectText(members: ReadonlyMap<string, string>): string {
  return members.size === 0
    ? 'Record<never, never>'
    : `{ ${[...members].map(([key, type]) => `readonly ${key}: ${type}`).join('; ')} }`
}

/** A union without repeated members, in one order. Empty for an empty list. */
export function union(types: readonly string[]): string {
  return [...new Set(types)].sort().join(' | ')
}

/** A union of literals; never for an empty list. */
export function literals(values: readonly string[]): string {
  return union(values.map((value) => `'${value}'`)) || 'never'
}

export function writeKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}

function parenthesized(type: string): string {
  return type.includes(' ') && !type.startsWith('{') ? `(${type})` : type
}
