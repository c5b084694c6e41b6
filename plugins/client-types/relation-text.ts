import { mediaType } from '#kernel/plugin'
import type { Schema } from '#openapi'
import { keyOf, literals, objectText } from './schema-text.ts'
import { dataOf, filtersText, pageText, parameter, sortsOf, type TypeParts, valuesOf } from './type-text.ts'

/** The relations of a type: those that responses show, and those that requests accept. */
export function relationsText(parts: TypeParts): string {
  const { text } = parts
  const shown = propertiesIn(text.resolve(text.resolve(parts.resource).properties?.relationships))
  const created = propertiesIn(dataOf(parts.create, 'relationships', text))
  const names = new Set([...Object.keys(shown), ...Object.keys(created)])
  return objectText(new Map([...names].map((name) => [keyOf(name), relationText(name, parts)])))
}

function relationText(name: string, parts: TypeParts): string {
  const { text, operations, name: type, names } = parts
  const inDocument = (request: Schema | undefined) => propertiesIn(dataOf(request, 'relationships', text))[name]
  const response = text.resolve(
    propertiesIn(text.resolve(text.resolve(parts.resource).properties?.relationships))[name],
  )
  const data = text.resolve(response.properties?.data ?? text.resolve(inDocument(parts.create)).properties?.data)
  const to = targetsOf(data, parts)
  const related = operations.get(`fetchRelated.${type}.${name}`)
  const linkage = operations.get(`fetchRelationship.${type}.${name}`)
  const shown = operations.get(`fetchOne.${type}`) ?? operations.get(`fetchCollection.${type}`)
  const include = parameter(shown, 'include')
  const writes = { replace: 'updateRelationship', add: 'addRelationship', remove: 'removeRelationship' }
  const { required = [] } = text.resolve(dataOf(parts.create, 'relationships', text))
  const write =
    operations.get(`addRelationship.${type}.${name}`) ?? operations.get(`updateRelationship.${type}.${name}`)
  const sent = text.resolve(write?.requestBody?.content[mediaType]?.schema).properties?.data
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
      ['related', String(related !== undefined)],
      ['linkage', String(linkage !== undefined)],
      [
        'includable',
        String(
          (include?.['x-include-paths'] ?? valuesOf(include?.schema)).includes(name) &&
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
      ['filters', filtersText(related, text, null)],
      ['sorts', literals(sortsOf(related))],
      ['page', pageText(related, text)],
      ['counts', literals(valuesOf(parameter(related, 'withCount')?.schema).filter((one) => one === '_self_'))],
      ['pivot', pivotText(data, parts, true)],
      ['pivotInput', pivotText(text.resolve(sent), parts, false)],
      ['path', `'${(related ?? linkage)?.path.split('/').at(-1) ?? name}'`],
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

function targetsOf(data: Schema, parts: TypeParts): string[] {
  return identifiersIn(data, parts).flatMap(({ properties }) => {
    const name = (properties?.type as Schema | undefined)?.const
    return typeof name === 'string' ? [name] : []
  })
}

function pivotText(data: Schema, parts: TypeParts, isRead: boolean): string {
  const { text } = parts
  const pivots = identifiersIn(data, parts).flatMap(({ properties }) => {
    const meta = text.resolve(properties?.meta as Schema | undefined)
    return meta.properties?.pivot ? [meta.properties.pivot as Schema] : []
  })
  return pivots[0] ? objectText(text.membersOf(pivots[0], isRead)) : 'Record<never, never>'
}
