import type { Schema } from '#openapi'

// Members that occur in many objects of a document. https://jsonapi.org/format/1.1/#document-structure

export const text: Schema = { type: 'string' }

/** https://jsonapi.org/format/1.1/#document-member-names */
const globallyAllowed = '[a-zA-Z0-9\\u0080-\\u{10ffff}]'
export const name: Schema = {
  type: 'string',
  pattern: `^@?${globallyAllowed}([a-zA-Z0-9\\u0080-\\u{10ffff}_ -]*${globallyAllowed})?$`,
}

/** An object with these members only. Members that begin with @ are ignored. */
export function closed(properties: Record<string, Schema>, ...required: readonly string[]): Schema {
  return { type: 'object', properties, patternProperties: { '^@': true }, additionalProperties: false, required }
}

/** An object whose member names the server defines. */
export function named(values: Schema, names: Schema = name): Schema {
  return { type: 'object', propertyNames: names, patternProperties: { '^@': true }, additionalProperties: values }
}

export function listSchema(items: Schema): Schema {
  return { type: 'array', items }
}

/** Requires at least one of these members. */
export function requireSome(...members: readonly string[]): Schema {
  return { anyOf: members.map((member) => ({ required: [member] })) }
}

export function ref(definition: string): Schema {
  return { $ref: `#/$defs/${definition}` }
}

/** Any JSON value; objects in it must have valid member names. */
const value: Schema = {
  propertyNames: name,
  patternProperties: { '^@': true },
  additionalProperties: ref('value'),
  items: ref('value'),
}

const link: Schema = {
  ...closed(
    {
      href: text,
      rel: text,
      describedby: ref('link'),
      title: text,
      type: text,
      hreflang: { type: ['string', 'array'], items: text },
      meta: ref('meta'),
    },
    'href',
  ),
  type: ['string', 'object', 'null'],
}

const jsonapi = closed({ version: text, ext: listSchema(text), profile: listSchema(text), meta: ref('meta') })

export const members: Readonly<Record<string, Schema>> = {
  value,
  meta: named(ref('value')),
  link,
  links: named(ref('link')),
  jsonapi,
}

/** Members that every document may have at its top level. */
export const topLevel = { links: ref('links'), meta: ref('meta'), jsonapi: ref('jsonapi') }
