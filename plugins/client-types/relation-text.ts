import { mediaType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { literals, objectText, type SchemaText, writeKey } from './schema-text.ts'
import { filtersText, findData, listSorts, listValues, pageText, parameter, type TypeParts } from './type-text.ts'

/** The relations of a type: those that responses show, and those that requests accept. */
export function relationsText(parts: TypeParts): string {
  const { text } = parts
  const shown = propertiesIn(text.resolve(text.resolve(parts.resource).properties?.relationships))
  const created = propertiesIn(findData(parts.create, 'relationships', text))
  const names = new Set([...Object.keys(shown), ...Object.keys(created)])
  return objectText(new Map([...names].map((name) => [writeKey(name), relationText(name, parts)])))
}

function relationText(name: string, parts: TypeParts): string {
  const { text, operations, name: type, names } = parts
  const inDocument = (request: Schema | undefined) => propertiesIn(findData(request, 'relationships', text))[name]
  const response = text.resolve(
    propertiesIn(text.resolve(text.resolve(parts.resource).properties?.relationships))[name],
  )
  const data = text.resolve(response.properties?.data ?? text.resolve(inDocument(parts.create)).properties?.data)
  const to = listTargets(data, parts)
  const related = operations.get(`fetchRelated.${type}.${name}`)
  const linkage = operations.get(`fetchRelationship.${type}.${name}`)
  const read = related ?? linkage
  const shown = operations.get(`fetchOne.${type}`) ?? operations.get(`fetchCollection.${type}`)
  const include = parameter(shown, 'include')
  const writes = { replace: 'updateRelationship', add: 'addRelationship', remove: 'removeRelationship' }
  const { required = [] } = text.resolve(findData(parts.create, 'relationships', text))
  const write =
    operations.get(`addRelationship.${type}.${name}`) ?? operations.get(`updateRelationship.${type}.${name}`)
  const requests = [write?.requestBody?.content[mediaType]?.schema, inDocument(parts.update), inDocument(parts.create)]
  const sent = text.resolve(requests.map((one) => text.resolve(one).properties?.data).find((one) => one !== undefined))
  return objectText(
    new Map([
      ['to', literals(to)],
      ['many', String(data.type === 'array')],
      ['linked', String((response['x-client'] as { linked?: boolean } | undefined)?.linked ?? false)],
      [
        'on',
        literals([...(inDocument(parts.create) ? ['create'] : []), ...(inDocument(parts.update) ? ['update'] : [])]),
      ],
      ['required', String(required.includes(name))],
      ['nullable', String(acceptsNull(sent, text))],
      ['related', String(related !== undefined)],
      ['linkage', String(linkage !== undefined)],
      [
        'includable',
        String(
          (include?.['x-include-paths'] ?? listValues(include?.schema)).includes(name) &&
            to.some((one) => names.has(one)),
        ),
      ],
      [
        'writes',
        literals(
          Object.entries(writes)
            .filter(([, id]) => operations.has(`${id}.${type}.${name}`))
            .map(([key]) => key),
        ),
      ],
      ['filters', filtersText(read, text, null)],
      ['sorts', literals(listSorts(read))],
      ['page', pageText(read, text)],
      ['counts', literals(listValues(parameter(read, 'withCount')?.schema).filter((one) => one === '_self_'))],
      ['pivot', pivotText(data, parts, true)],
      ['pivotInput', pivotText(sent, parts, false)],
      ['path', `'${read?.path.split('/').at(-1) ?? name}'`],
    ]),
  )
}

function propertiesIn(schema: Schema | undefined): Readonly<Record<string, Schema>> {
  return (schema?.properties ?? {}) as Readonly<Record<string, Schema>>
}

/** The identifiers in a schema of linkage. */
function identifiersIn(schema: Schema, parts: TypeParts): Schema[] {
  const resolved = parts.text.resolve(schema)
  const inner = [resolved.items, resolved.anyOf, resolved.oneOf, resolved.allOf].flat() as readonly (
    | Schema
    | undefined
  )[]
  return [resolved, ...inner.flatMap((one) => (one ? identifiersIn(one, parts) : []))]
}

function listTargets(data: Schema, parts: TypeParts): string[] {
  return identifiersIn(data, parts).flatMap(({ properties }) => {
    const name = (properties?.type as Schema | undefined)?.const
    return typeof name === 'string' ? [name] : []
  })
}

function acceptsNull({ type, anyOf = [] }: Schema, text: SchemaText): boolean {
  return type === 'null' || (anyOf as readonly Schema[]).some((one) => acceptsNull(text.resolve(one), text))
}

function pivotText(data: Schema, parts: TypeParts, isRead: boolean): string {
  const { text } = parts
  const pivots = identifiersIn(data, parts).flatMap(({ properties }) => {
    const meta = text.resolve(properties?.meta as Schema | undefined)
    return meta.properties?.pivot ? [meta.properties.pivot as Schema] : []
  })
  if (!pivots[0]) return 'Record<never, never>'
  const { required = [] } = (text.resolve(pivots[0])['x-client'] ?? {}) as { required?: readonly string[] }
  return objectText(text.membersOf(pivots[0], isRead, (name) => !isRead && !required.includes(name)))
}
