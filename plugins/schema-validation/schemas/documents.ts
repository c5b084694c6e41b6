import type { Schema } from '#openapi'
import { operation, result } from './batches.ts'
import { closed, listOf, members, ref, someOf, text, topLevel } from './members.ts'
import { resourcesOf } from './resources.ts'

const ofClient = { ...members, ...resourcesOf('client') }
const ofServer = { ...members, ...resourcesOf('server') }

export type Part = 'resource' | 'linkage' | 'batch'

/** https://jsonapi.org/format/1.1/#error-objects */
const error: Schema = {
  ...closed({
    id: text,
    links: ref('links'),
    status: text,
    code: text,
    title: text,
    detail: text,
    source: closed({ pointer: text, parameter: text, header: text }),
    meta: ref('meta'),
  }),
  minProperties: 1,
}

/** What a client sends, by what it writes. */
export const requests: Readonly<Record<Part, Schema>> = {
  resource: sent({ data: ref('resource'), included: listOf(ref('resource')) }),
  linkage: sent({ data: ref('linkage'), included: listOf(ref('resource')) }),
  batch: sent({ 'atomic:operations': listOf(operation) }),
}

/** What a server answers; each may be errors instead. */
export const answers: Readonly<Record<Part, Schema>> = {
  resource: answered('data', ref('primary')),
  linkage: answered('data', ref('linkage')),
  batch: answered('atomic:results', listOf(result)),
}

function sent(properties: Record<string, Schema>): Schema {
  return { $defs: ofClient, ...closed({ ...properties, ...topLevel }) }
}

function answered(content: string, schema: Schema): Schema {
  const properties = {
    [content]: schema,
    errors: { ...listOf(error), minItems: 1 },
    included: listOf(ref('resource')),
    ...topLevel,
  }
  return {
    $defs: ofServer,
    ...closed(properties),
    ...someOf(content, 'errors', 'meta'),
    dependentSchemas: { errors: { properties: { [content]: false, included: false } } },
    dependentRequired: { included: ['data'] },
  }
}
