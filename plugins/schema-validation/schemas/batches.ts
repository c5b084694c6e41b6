import type { Schema } from '#openapi'
import { closed, ref, text } from './members.ts'

// https://jsonapi.org/ext/atomic/#document-structure

const target = closed({ type: text, id: text, lid: text, relationship: text, meta: ref('meta') }, 'type')

const targetsRelationship: Schema = {
  anyOf: [
    { required: ['ref'], properties: { ref: { type: 'object', required: ['relationship'] } } },
    { required: ['href'], properties: { href: { type: 'string', pattern: '/[^/]+/relationships/[^/?#]+(?:[?#]|$)' } } },
  ],
}

export const operation: Schema = {
  ...closed({ op: text, ref: target, href: text, data: {}, meta: ref('meta') }, 'op'),
  allOf: [
    unless(targetsRelationship, { properties: { data: ref('resource') } }),
    unless({ not: targetsRelationship }, { properties: { data: ref('linkage') } }),
  ],
}

export const result = closed({ data: ref('resource'), meta: ref('meta') })

function unless(condition: Schema, schema: Schema): Schema {
  return { if: condition, else: schema }
}
