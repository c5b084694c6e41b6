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
  showsResources,
} from '#kernel/plugin'

export const relationshipQueriesProfileUri = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'

type Family = 'relatedQuery' | 'rQ'

/** Reads one of the two spellings into the query. If both name the same sort or filter, `relatedQuery` wins. */
export function readRelatedQuery(family: Family, value: ParamValue, query: Query, context: QueryContext): void {
  if (!isSupported(context)) {
    if (isNegotiated(context) || context.strict) pushFault(queryParamUnrecognized, family, family, query)
    return
  }
  if (!isMap(value)) {
    pushFault(queryParamMalformed, family, family, query)
    return
  }
  for (const [name, members] of Object.entries(value)) readRelation(family, name, members, query, context)
}

function readRelation(family: Family, name: string, members: ParamValue, query: Query, { server }: QueryContext): void {
  const parameter = `${family}[${name}]`
  const relation = queryableRelation(name, query)
  if (!relation || !isMap(members)) {
    pushFault(relation ? queryParamMalformed : queryParamUnrecognized, parameter, family, query)
    return
  }
  for (const [member, value] of Object.entries(members)) {
    const isPage = member === 'page' && relation.toMany // ignored: the first page is returned
    if (isPage) continue
    const isSupportedMember = (member === 'sort' && relation.toMany) || member === 'filter'
    if (!isSupportedMember || isPolymorphic(relation) || !server.parameters.has(member)) {
      pushFault(queryParamUnrecognized, `${parameter}[${member}]`, family, query)
    } else if (member === 'sort' ? typeof value !== 'string' : !isMap(value)) {
      pushFault(queryParamMalformed, `${parameter}[${member}]`, family, query)
    } else addToQuery(query, relation, family, member, value)
  }
}

function pushFault(error: ErrorFactory, parameter: string, family: Family, { faults }: Query): void {
  const expected = `${family}[relation][sort] or [filter][key]`
  faults.push(error({ parameter, expected }, { source: { parameter } }))
}

/** The client negotiated the profile, and the primary data are resources. */
function isSupported(context: QueryContext): boolean {
  return isNegotiated(context) && showsResources(context)
}

function isNegotiated({ request }: QueryContext): boolean {
  return request?.media.profiles.has(relationshipQueriesProfileUri) ?? false
}

/** Returns null for an unknown or hidden relation, and for a polymorphic to-one, whose types have no common filters. */
function queryableRelation(name: string, query: Query): Relation | null {
  const field = query.types.length === 1 ? query.type.fields.get(name) : undefined
  if (field?.role !== 'relation' || field.hidden === true || query.visibility?.hides(field)) return null
  return isPolymorphic(field) && !field.toMany ? null : field
}

const empty = { where: [], terms: [] }

function addToQuery(
  query: Query,
  relation: Relation,
  family: Family,
  member: 'sort' | 'filter',
  value: ParamValue,
): void {
  const existing = query.related.get(relation)
  if (existing?.[member] !== undefined && family !== 'relatedQuery') return
  const parameter = `${family}[${relation.name}]`
  query.related = new Map(query.related).set(relation, { ...empty, ...existing, parameter, [member]: value })
}
