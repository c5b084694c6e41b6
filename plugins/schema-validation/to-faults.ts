import type { ErrorObject } from 'ajv/dist/2020.js'
import { type Phrase, phrase } from '#kernel/errors'
import { escapePointer } from '#kernel/plugin'

export interface Fault {
  readonly pointer: string
  readonly reason: Phrase
}

/** Converts errors of Ajv to faults. Omits errors of single `anyOf` branches: the `anyOf` itself is reported. */
export function toFaults(errors: readonly ErrorObject[]): Fault[] {
  const reported = errors.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'))
  return reported.flatMap((error) => converters[error.keyword]?.(error) ?? [])
}

/** By keyword of JSON Schema. */
const converters: Readonly<Record<string, (error: ErrorObject) => Fault>> = {
  additionalProperties: ({ instancePath, params }) => notAllowed(instancePath, params.additionalProperty),
  'false schema': ({ instancePath }) => {
    const end = instancePath.lastIndexOf('/')
    return notAllowed(instancePath.slice(0, end), instancePath.slice(end + 1))
  },
  propertyNames: ({ instancePath, params: { propertyName: member } }) => ({
    pointer: pointerTo(instancePath, member),
    reason: phrase("'{member}' is not a valid name of a member here", { member }),
  }),
  oneNamespace: ({ instancePath, params: { object, member } }) => ({
    pointer: pointerTo(`${instancePath}/${object}`, member),
    reason: phrase("'{member}' must not be both an attribute and a relationship", { member }),
  }),
  type: ({ instancePath: pointer, params: { type } }) => ({
    pointer,
    reason: phrase('{member} must be {what}', { member: toName(pointer), what: typeNames[String(type)] as Phrase }),
  }),
  required: missing,
  dependentRequired: missing,
  anyOf: ({ instancePath: pointer, schema }) => {
    const members = (schema as { required: string[] }[]).flatMap(({ required }) => required)
    return { pointer, reason: phrase('{member} needs one of {members}', { member: toName(pointer), members }) }
  },
  minItems: empty,
  minProperties: empty,
}

const typeNames: Readonly<Record<string, Phrase>> = {
  object: phrase('an object'),
  array: phrase('an array'),
  string: phrase('a string'),
  'object,array,null': phrase('an object, an array or null'),
  'string,object,null': phrase('a string, an object or null'),
  'string,array': phrase('a string or an array'),
}

function notAllowed(parent: string, member: string): Fault {
  return { pointer: pointerTo(parent, member), reason: phrase("'{member}' is not allowed here", { member }) }
}

function missing({ instancePath: pointer, params: { missingProperty: part } }: ErrorObject): Fault {
  return { pointer, reason: phrase("{member} must have '{part}'", { member: toName(pointer), part }) }
}

function empty({ instancePath: pointer }: ErrorObject): Fault {
  return { pointer, reason: phrase('{member} must not be empty', { member: toName(pointer) }) }
}

function pointerTo(parent: string, member: string): string {
  return `${parent}/${escapePointer(member)}`
}

/** `/data/relationships/tracks/data/0` → `data[0]` */
function toName(pointer: string): string | Phrase {
  const [parent = '', last = ''] = pointer.split('/').slice(-2)
  if (pointer === '') return phrase('the document')
  return /^\d+$/.test(last) ? `${parent}[${last}]` : last
}
