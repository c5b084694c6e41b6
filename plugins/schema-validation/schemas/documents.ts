import type { Schema } from '#openapi'
import { operation, result } from './batches.ts'
import { closed, listSchema, members, ref, requireSome, text, topLevel } from './members.ts'
import { resourceSchemas } from './resources.ts'

const clientDefinitions = { ...members, ...resourceSchemas('client') }
const serverDefinitions = { ...members, ...resourceSchemas('server') }

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
  resource: requestSchema({ data: ref('resource'), included: listSchema(ref('resource')) }),
  linkage: requestSchema({ data: ref('linkage'), included: listSchema(ref('resource')) }),
  batch: requestSchema({ 'atomic:operations': listSchema(operation) }),
}

/** Every response may have errors instead of data. */
export const responseSchemas: Readonly<Record<DocumentKind, Schema>> = {
  resource: responseSchema('data', ref('primary')),
  linkage: responseSchema('data', ref('linkage')),
  batch: responseSchema('atomic:results', listSchema(result)),
}

function requestSchema(properties: Record<string, Schema>): Schema {
  return { $defs: clientDefinitions, ...closed({ ...properties, ...topLevel }) }
}

function responseSchema(content: string, schema: Schema): Schema {
  const properties = {
    [content]: schema,
    errors: { ...listSchema(error), minItems: 1 },
    included: listSchema(ref('resource')),
    ...topLevel,
  }
  return {
    $defs: serverDefinitions,
    ...closed(properties),
    ...requireSome(content, 'errors', 'meta'),
    dependentSchemas: { errors: { properties: { [content]: false, included: false } } },
    dependentRequired: { included: ['data'] },
  }
}
