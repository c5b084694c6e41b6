import { mediaType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { literals, objectText, type SchemaText, union, writeKey } from './schema-text.ts'
import { findData, type Operation, type TypeParts } from './type-text.ts'

/** The actions of a type. */
export function actionsText(parts: TypeParts): string {
  const prefix = `action.${parts.name}.`
  const actions = [...parts.operations.values()].filter(({ operationId }) => operationId.startsWith(prefix))
  return objectText(
    new Map(
      actions.map((operation) => [
        writeKey(operation.operationId.slice(prefix.length)),
        objectText(
          new Map([
            ['on', operation.path.includes('{id}') ? "'resource'" : "'collection'"],
            ['method', `'${operation.method}'`],
            ['input', inputText(operation, parts)],
            ['answers', answersText(operation, parts)],
          ]),
        ),
      ]),
    ),
  )
}

function inputText({ requestBody }: Operation, { text }: TypeParts): string {
  const content = requestBody?.content ?? {}
  const document = content[mediaType]?.schema
  if (document) {
    const type = text.resolve(findData(document, null, text)).properties?.type as { const?: unknown } | undefined
    return `{ readonly type: '${type?.const}' }`
  }
  const media = Object.keys(content)
  return media.length > 0 ? `{ readonly media: ${literals(media)} }` : 'never'
}

/** The success responses of an operation, in the form of `Answer` of clients/typescript. Empty without an operation. */
export function answersText(operation: Operation | undefined, parts: TypeParts): string {
  const successes = Object.entries(operation?.responses ?? {}).filter(
    ([status]) => /^[23]/.test(status) && status !== '304',
  )
  return union(
    successes.flatMap(([status, { content }]) => {
      if (status === '204') return ["'none'"]
      if (status === '303') return ["'location'"]
      const types = dataTypes(content?.[mediaType]?.schema, parts.text)
      if (status === '202') return types.map((type) => `{ readonly accepted: '${type}' }`)
      if (types.length === 0) return ["'meta'"]
      return types.map((type) => (type === parts.name ? "'row'" : `{ readonly row: '${type}' }`))
    }),
  )
}

/** The types of the primary data of a document; none for a document with `meta` only. */
function dataTypes(schema: Schema | undefined, text: SchemaText): string[] {
  const resolved = text.resolve(schema)
  const variants = [resolved.anyOf, resolved.oneOf].flat() as readonly (Schema | undefined)[]
  const data = text.resolve(resolved.properties?.data)
  const name = (data.properties?.type as { const?: unknown } | undefined)?.const
  return [...(typeof name === 'string' ? [name] : []), ...variants.flatMap((one) => (one ? dataTypes(one, text) : []))]
}
