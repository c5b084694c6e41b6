import type { Schema } from '#openapi'
import { operation, result } from './batches.ts'
import { closed, listOf, members, ref, someOf, text, topLevel } from './members.ts'
import { resourcesOf } from './resources.ts'

const clientDefinitions = { ...members, ...resourcesOf('client') }
const serverDefinitions = { ...members, ...resourcesOf('server') }

/** The primary data of a document. */
export type DocumentKind = 'resource' | 'linkage' | 'batch'

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

export const requestSchemas: Readonly<Record<DocumentKind, Schema>> = {
  resource: requestSchema({ data: ref('resource'), included: listOf(ref('resource')) }),
  linkage: requestSchema({ data: ref('linkage'), included: listOf(ref('resource')) }),
  batch: requestSchema({ 'atomic:operations': listOf(operation) }),
}

/** Every response may have errors instead of data. */
export const responseSchemas: Readonly<Record<DocumentKind, Schema>> = {
  resource: responseSchema('data', ref('primary')),
  linkage: responseSchema('data', ref('linkage')),
  batch: responseSchema('atomic:results', listOf(result)),
}

function requestSchema(properties: Record<string, Schema>): Schema {
  return { $defs: clientDefinitions, ...closed({ ...properties, ...topLevel }) }
}

function responseSchema(content: string, schema: Schema): Schema {
  const properties = {
    [content]: schema,
    errors: { ...listOf(error), minItems: 1 },
    included: listOf(ref('resource')),
    ...topLevel,
  }
  return {
    $defs: serverDefinitions,
    ...closed(properties),
    ...someOf(content, 'errors', 'meta'),
    dependentSchemas: { errors: { properties: { [content]: false, included: false } } },
    dependentRequired: { included: ['data'] },
  }
}
