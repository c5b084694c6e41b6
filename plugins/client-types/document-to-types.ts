import { createHash } from 'node:crypto'
import { mediaType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { type Described, SchemaText, writeKey } from './schema-text.ts'
import { findData, indexOperations, type Operation, typeText } from './type-text.ts'

/** The types of a document as text, and their hash. */
export interface ClientTypes {
  readonly declarations: string
  readonly hash: string
}

/** Writes the API that an OpenAPI document describes as TypeScript types: the `ApiSchema` of clients/typescript. */
export function documentToTypes(document: Described): ClientTypes {
  const text = new SchemaText(document)
  const operations = indexOperations(document)
  const schemas = Object.values(document.components.schemas ?? {})
  const byId = (id: string) => operations.get(id)?.requestBody?.content[mediaType]?.schema
  const resources = new Map(
    Object.entries(document.components.schemas ?? {})
      .filter(([name, schema]) => name.endsWith('Resource') && typeof readConst(schema) === 'string')
      .map(([, schema]) => [String(readConst(schema)), schema]),
  )
  const inputs = findInputs(operations, text)
  const names = new Set([...resources.keys(), ...inputs.keys()].sort())
  const types = [...names].map((name) => {
    const parts = { name, text, operations, resource: resources.get(name), names }
    const create = byId(`create.${name}`) ?? inputs.get(name)
    return `  readonly ${writeKey(name)}: {\n${indent(typeText({ ...parts, create, update: byId(`update.${name}`) }))}\n  }`
  })
  const body = `export interface Api {
  readonly types: Types
  readonly errors: Errors
}

interface Types {
${types.join('\n')}
}

interface Errors {
${listErrors(schemas).join('\n')}
}
`
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 16)
  return {
    declarations: `${body}\n/** The hash of the types, for createClient({ types }). */\nexport declare const types: '${hash}'\n`,
    hash,
  }
}

/** The request documents of actions, by type: types that are only input have no others. */
function findInputs(operations: ReadonlyMap<string, Operation>, text: SchemaText): Map<string, Schema> {
  const documents = [...operations.values()].flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content[mediaType]?.schema
    return schema && operationId.startsWith('action.') ? [schema] : []
  })
  return new Map(documents.map((schema) => [String(readConst(findData(schema, null, text))), schema]))
}

/** The type that a resource object has. */
function readConst(schema: Schema | undefined): unknown {
  return (schema?.properties?.type as Schema | undefined)?.const
}

/** The code and the statuses of every error. */
function listErrors(schemas: readonly Schema[]): string[] {
  const codes = schemas.flatMap(({ properties }) => {
    const { code, status } = (properties ?? {}) as Record<string, Schema>
    const statuses = status?.const ? [status.const] : ((status?.enum ?? []) as readonly string[])
    return code?.const && statuses.length > 0 ? [`  readonly ${code.const}: ${statuses.join(' | ')}`] : []
  })
  return [...new Set(codes)].sort()
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}
