import type { Schema } from '#openapi'
import { closed, name, named, ref, requireSome, text } from './members.ts'

/** Resources and identifiers: with an id if sent by a server, with id, lid or neither if sent by a client. */
export function resourceSchemas(sender: 'client' | 'server'): Readonly<Record<string, Schema>> {
  const isServer = sender === 'server'
  const identity: Record<string, Schema> = { type: text, id: text, ...(!isServer && { lid: text }) }
  const required = isServer ? ['type', 'id'] : ['type']
  const identifier = {
    ...closed({ ...identity, meta: ref('meta') }, ...required),
    ...(!isServer && requireSome('id', 'lid')),
  }
  const resource: Schema = {
    ...closed(
      {
        ...identity,
        attributes: named(ref('value'), fieldName),
        relationships: named(ref('relationship'), fieldName),
        links: ref('links'),
        meta: ref('meta'),
      },
      ...required,
    ),
    oneNamespace: ['attributes', 'relationships'],
  }
  return {
    identifier,
    linkage: { ...identifier, type: ['object', 'array', 'null'], items: ref('identifier') },
    relationship,
    resource,
    primary: { ...resource, type: ['object', 'array', 'null'], items: ref('resource') },
  }
}

/** https://jsonapi.org/format/1.1/#document-resource-object-fields */
const fieldName: Schema = { ...name, not: { enum: ['type', 'id'] } }

const relationship: Schema = {
  ...closed({ data: ref('linkage'), links: ref('links'), meta: ref('meta') }),
  ...requireSome('data', 'links', 'meta'),
}
