import { createHash } from 'node:crypto'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Json = Record<string, unknown>

// Components are identified by a hash of their content: each is compiled once per process, for any number of
// applications.

const ajv = new Ajv2020({ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } })
addFormats.default(ajv)
// Accepts any text as an internationalized email address, and avoids a warning about the format.
ajv.addFormat('idn-email', true)
const added = new Set<string>()

/** Compiles parts of an OpenAPI document into validators that reject undescribed members. */
export class Schemas {
  readonly #components: Readonly<Record<string, Json>>
  readonly #ids = new Map<string, string>()
  readonly #compiled = new WeakMap<Json, ValidateFunction>()
  /** The codes of all described errors. */
  readonly codes: readonly string[]

  constructor(document: { components?: { schemas?: Record<string, Json> } }) {
    this.#components = document.components?.schemas ?? {}
    this.codes = Object.values(this.#components).flatMap((schema) => errorCode(schema) ?? [])
  }

  compile(schema: Json): ValidateFunction {
    const compiled = this.#compiled.get(schema)
    if (compiled) return compiled
    const validate = ajv.getSchema(this.#register(schema)) as ValidateFunction
    this.#compiled.set(schema, validate)
    return validate
  }

  /** Registers a schema whose references are replaced by ids, and returns its id. */
  #register(schema: Json): string {
    const closed = JSON.stringify(this.#close(schema))
    const id = `urn:schema:${createHash('sha1').update(closed).digest('hex')}`
    if (!added.has(id)) ajv.addSchema({ ...JSON.parse(closed), $id: id })
    added.add(id)
    return id
  }

  /** Rejects undescribed members of objects; not of the parts of `allOf`, which describe some of the members each. */
  #close(part: unknown, isPartial = false): unknown {
    if (Array.isArray(part)) return part.map((item) => this.#close(item, isPartial))
    if (typeof part !== 'object' || part === null) return part
    const entries = Object.entries(withoutOtherCodes(part as Json, this.codes)).map(([key, value]) => [
      key,
      this.#closeMember(key, value),
    ])
    const closed = Object.fromEntries(entries) as Json
    if (closed.properties && !isPartial && !('additionalProperties' in closed)) closed.additionalProperties = false
    return closed
  }

  #closeMember(key: string, value: unknown): unknown {
    if (key === 'properties' || key === '$defs') {
      return Object.fromEntries(Object.entries(value as Json).map(([name, schema]) => [name, this.#close(schema)]))
    }
    if (key === 'discriminator' || key === 'examples' || key === 'default' || key === 'const' || key === 'enum')
      return value
    return key === '$ref' ? this.#idOf(String(value)) : this.#close(value, key === 'allOf')
  }

  #idOf(reference: string): string {
    const name = reference.replace('#/components/schemas/', '')
    const registered = this.#ids.get(name)
    if (registered) return registered
    const component = this.#components[name]
    if (!component) throw new Error(`${reference} is not defined.`)
    const id = this.#register(component)
    this.#ids.set(name, id)
    return id
  }
}

/** Allows an operation to return undescribed errors, but no error that is described for other operations. */
function withoutOtherCodes(schema: Json, codes: readonly string[]): Json {
  const choices = (schema.anyOf ?? []) as Json[]
  const other = choices.at(-1)
  if (choices.length < 2 || other?.$ref !== '#/components/schemas/Error') return schema
  const isUndescribed = {
    not: { properties: { code: { enum: codes } }, required: ['code'], additionalProperties: true },
  }
  return { ...schema, anyOf: [...choices.slice(0, -1), { allOf: [other, isUndescribed] }] }
}

function errorCode({ properties }: Json): string | undefined {
  return ((properties as Json | undefined)?.code as Json | undefined)?.const as string | undefined
}
