import type { ErrorObject } from 'ajv/dist/2020.js'
import { escapePointer, type Phrase, phrase } from '#kernel/plugin'

export interface Fault {
  readonly pointer: string
  readonly reason: Phrase
}

/** What is wrong, in words. A rule is told once, without the steps by which it was found broken. */
export function faultsOf(errors: readonly ErrorObject[]): Fault[] {
  const told = errors.filter(({ schemaPath }) => !schemaPath.includes('/anyOf/'))
  return told.flatMap((error) => tellers[error.keyword]?.(error) ?? [])
}

type Teller = (error: ErrorObject) => Fault

const tellers: Readonly<Record<string, Teller>> = {
  additionalProperties: ({ instancePath, params }) => stranger(instancePath, params.additionalProperty),
  'false schema': ({ instancePath }) => {
    const end = instancePath.lastIndexOf('/')
    return stranger(instancePath.slice(0, end), instancePath.slice(end + 1))
  },
  propertyNames: ({ instancePath, params: { propertyName: member } }) => ({
    pointer: below(instancePath, member),
    reason: phrase("'{member}' is not a name that can stand here", { member }),
  }),
  oneNamespace: ({ instancePath, params: { object, member } }) => ({
    pointer: below(`${instancePath}/${object}`, member),
    reason: phrase("'{member}' is the name of an attribute and of a relationship", { member }),
  }),
  type: ({ instancePath: pointer, params: { type } }) => ({
    pointer,
    reason: phrase('{member} must be {what}', { member: nameOf(pointer), what: kinds[String(type)] as Phrase }),
  }),
  required: missing,
  dependentRequired: missing,
  anyOf: ({ instancePath: pointer, schema }) => {
    const members = (schema as { required: string[] }[]).flatMap(({ required }) => required)
    return { pointer, reason: phrase('{member} needs one of {members}', { member: nameOf(pointer), members }) }
  },
  minItems: empty,
  minProperties: empty,
}

const kinds: Readonly<Record<string, Phrase>> = {
  object: phrase('an object'),
  array: phrase('a list'),
  string: phrase('a text'),
  'object,array,null': phrase('an object, a list or null'),
  'string,object,null': phrase('a text, an object or null'),
  'string,array': phrase('a text or a list'),
}

function stranger(parent: string, member: string): Fault {
  return { pointer: below(parent, member), reason: phrase("'{member}' cannot stand here", { member }) }
}

function missing({ instancePath: pointer, params: { missingProperty: part } }: ErrorObject): Fault {
  return { pointer, reason: phrase("{member} has no '{part}'", { member: nameOf(pointer), part }) }
}

function empty({ instancePath: pointer }: ErrorObject): Fault {
  return { pointer, reason: phrase('{member} is empty', { member: nameOf(pointer) }) }
}

function below(parent: string, member: string): string {
  return `${parent}/${escapePointer(member)}`
}

/** `/data/relationships/tracks/data/0` → `data[0]` */
function nameOf(pointer: string): string | Phrase {
  const [parent = '', last = ''] = pointer.split('/').slice(-2)
  if (pointer === '') return phrase('the document')
  return /^\d+$/.test(last) ? `${parent}[${last}]` : last
}
