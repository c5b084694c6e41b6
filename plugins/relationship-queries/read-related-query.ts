import { acceptedNames, type Phrase, phrase, queryParamMalformed, queryParamUnrecognized } from '#kernel/errors'
import { isPolymorphic, type Query, type QueryContext, type Relation, type Server } from '#kernel/plugin'
import { isMap, type ParamValue } from '#kernel/queries'
import { findVisibleRelation, repeatWithout, showsResources } from '#query'

export const relationshipQueriesProfileUri = 'https://haddowg.github.io/json-api/profiles/relationship-queries/'

type Family = 'relatedQuery' | 'rQ'

/** Reads one of the two spellings into the query. If both name the same sort or filter, `relatedQuery` wins. */
export function readRelatedQuery(family: Family, value: ParamValue, query: Query, context: QueryContext): void {
  if (!isSupported(context)) {
    const hint = isNegotiated(context) ? repeatWithout : negotiationHint
    if (isNegotiated(context) || context.strict) reject(family, hint, query)
    return
  }
  if (!isMap(value)) rejectShape(family, family, query)
  else for (const [name, members] of Object.entries(value)) readRelation(family, name, members, query, context)
}

export function acceptsRelatedQuery(context: QueryContext, query: Query): boolean {
  return isSupported(context) && queryableNames(query).length > 0
}

/** An application may accept the parameter with its profile only. */
const negotiationHint = phrase('It needs the profile {profile} in the Accept header.', {
  profile: relationshipQueriesProfileUri,
})

function readRelation(family: Family, name: string, members: ParamValue, query: Query, { server }: QueryContext): void {
  const parameter = `${family}[${name}]`
  const relation = queryableRelation(name, query)
  if (!relation) {
    reject(parameter, accepting(queryableNames(query), name), query)
    return
  }
  if (!isMap(members)) {
    rejectShape(parameter, family, query)
    return
  }
  const accepted = acceptedMembers(relation, server)
  for (const [member, value] of Object.entries(members)) {
    const isPage = member === 'page' && relation.toMany // ignored: the first page is returned
    if (isPage) continue
    const known = accepted.find((name) => name === member)
    if (!known) reject(`${parameter}[${member}]`, accepting(accepted, member), query)
    else if (known === 'sort' ? typeof value !== 'string' : !isMap(value)) {
      rejectShape(`${parameter}[${member}]`, family, query)
    } else addToQuery(query, relation, family, known, value)
  }
}

function acceptedMembers(relation: Relation, { parameters }: Server): ('sort' | 'filter')[] {
  const members = relation.toMany ? (['sort', 'filter'] as const) : (['filter'] as const)
  return members.filter((member) => !isPolymorphic(relation) && parameters.has(member))
}

function accepting(names: readonly string[], sent: string): Phrase {
  return phrase('Accepted: {accepted}', { accepted: acceptedNames(names, sent) })
}

function reject(parameter: string, hint: Phrase, { faults }: Query): void {
  faults.push(queryParamUnrecognized({ parameter, hint }, { source: { parameter } }))
}

function rejectShape(parameter: string, family: Family, { faults }: Query): void {
  const expected = phrase('{family}[relation][sort] or [filter][key]', { family })
  faults.push(queryParamMalformed({ parameter, expected }, { source: { parameter } }))
}

/** The client negotiated the profile, and the primary data are resources. */
function isSupported(context: QueryContext): boolean {
  return isNegotiated(context) && showsResources(context)
}

function isNegotiated({ profiles }: QueryContext): boolean {
  return profiles?.has(relationshipQueriesProfileUri) ?? false
}

/** Returns null for an unknown or hidden relation, and for a polymorphic to-one, whose types have no common filters. */
function queryableRelation(name: string, query: Query): Relation | null {
  const relation = query.types.length === 1 ? findVisibleRelation(query.type, name, query.visibility) : undefined
  return !relation || (isPolymorphic(relation) && !relation.toMany) ? null : relation
}

function queryableNames(query: Query): string[] {
  return query.type.relations.filter(({ name }) => queryableRelation(name, query)).map(({ name }) => name)
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
  const sent = { parameter: `${family}[${relation.name}][${member}]`, value }
  query.related = new Map(query.related).set(relation, { ...empty, ...existing, [member]: sent })
}
