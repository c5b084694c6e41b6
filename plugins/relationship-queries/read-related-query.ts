import {
  type ErrorFactory,
  isMap,
  isPolymorphic,
  type ParamValue,
  type Query,
  type QueryContext,
  queryParamMalformed,
  queryParamUnrecognized,
  type Relation,
} from '#kernel/plugin'

export const relationshipQueriesProfileUri = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'

/** Reads one of the two spellings into the query; of a clash the long one counts, whichever came first. */
export function readRelatedQuery(
  family: 'relatedQuery' | 'rQ',
  value: ParamValue,
  query: Query,
  reading: QueryContext,
): void {
  const fault = (error: ErrorFactory, parameter: string) =>
    void query.faults.push(
      error({ parameter, expected: `${family}[relation][sort] or [filter][key]` }, { source: { parameter } }),
    )
  if (!isTaken(reading)) {
    if (isNegotiated(reading) || reading.strict) fault(queryParamUnrecognized, family)
    return
  }
  if (!isMap(value)) fault(queryParamMalformed, family)
  else for (const [path, asked] of Object.entries(value)) readPath(family, path, asked, query, reading, fault)
}

type Fault = (error: ErrorFactory, parameter: string) => void

function readPath(
  family: string,
  path: string,
  asked: ParamValue,
  query: Query,
  reading: QueryContext,
  fault: Fault,
): void {
  const relation = relationAt(path, query)
  if (!relation) fault(queryParamUnrecognized, `${family}[${path}]`)
  else if (!isMap(asked)) fault(queryParamMalformed, `${family}[${path}]`)
  else {
    for (const [operation, value] of Object.entries(asked)) {
      const error = refusalOf(operation, value, relation, reading)
      if (error) fault(error, `${family}[${path}][${operation}]`)
      else if (operation === 'sort' || operation === 'filter') {
        note(query, relation, family, operation, value)
      }
    }
  }
}

/** Where primary data are resources, and the client negotiated the profile. */
function isTaken(reading: QueryContext): boolean {
  return isNegotiated(reading) && reading.target.kind !== 'relationship' && reading.kind !== 'Delete'
}

function isNegotiated({ request }: QueryContext): boolean {
  return request?.media.profiles.has(relationshipQueriesProfileUri) ?? false
}

/** One relation of the primary type; what a polymorphic to-one leads to has no filters in common. */
function relationAt(path: string, query: Query): Relation | null {
  const field = query.types.length === 1 ? query.type.fields.get(path) : undefined
  if (field?.role !== 'relation' || field.hidden === true || query.visibility?.hides(field)) return null
  return isPolymorphic(field) && !field.toMany ? null : field
}

function refusalOf(
  operation: string,
  value: ParamValue,
  relation: Relation,
  { server }: QueryContext,
): ErrorFactory | null {
  if (operation === 'page') return relation.toMany ? null : queryParamUnrecognized
  const isKnown = (operation === 'sort' && relation.toMany) || operation === 'filter'
  if (!isKnown || isPolymorphic(relation) || !server.parameters.has(operation)) return queryParamUnrecognized
  const fits = operation === 'sort' ? typeof value === 'string' : isMap(value)
  return fits ? null : queryParamMalformed
}

const empty = { where: [], terms: [] }

function note(query: Query, relation: Relation, family: string, operation: 'sort' | 'filter', value: ParamValue): void {
  const known = query.related.get(relation)
  if (known?.[operation] !== undefined && family !== 'relatedQuery') return
  const parameter = `${family}[${relation.name}]`
  query.related = new Map(query.related).set(relation, { ...empty, ...known, parameter, [operation]: value })
}
