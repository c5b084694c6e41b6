import Joi from 'joi'
import type { Plugin, Query, QueryContext } from '#kernel/plugin'
import type { RelationFilterAndSort, RelationLoad } from '#kernel/queries'
import { defaultPaginator, findPaginator } from '#plugins/pagination/index.ts'
import { checkQueryLimit, defaultSortFor, listLimit } from '#query'
import { describeRelationshipQueries } from './describe.ts'
import { readRelatedQuery, relationshipQueriesProfileUri } from './read-related-query.ts'

export { relationshipQueriesProfileUri } from './read-related-query.ts'

/**
 * Reads `relatedQuery[tracks][filter][title]=x` and `rQ[tracks][sort]=-title`: filters and sorts the relationships of
 * primary resources. A client that negotiates the profile receives the first page of every to-many with linkage.
 */
export function relationshipQueries(): Plugin {
  return {
    name: 'relationship-queries',
    requires: ['pagination'],
    environment: { MAX_RELATED_QUERY_LENGTH: Joi.number().integer().min(0).default(2000) },
    profiles: [relationshipQueriesProfileUri],

    plan({ profiles, begin }) {
      if (!profiles.has(relationshipQueriesProfileUri)) return
      begin.push(({ appliedProfiles }) => void appliedProfiles.add(relationshipQueriesProfileUri))
    },

    parameters: {
      relatedQuery: (value, query, context) => readRelatedQuery('relatedQuery', value, query, context),
      rQ: (value, query, context) => readRelatedQuery('rQ', value, query, context),
    },

    onQuery: checkRelatedLength,

    planType({ type, beforeRelationLoad }) {
      if (type.relations.length > 0) beforeRelationLoad.push(applyRelatedQuery)
    },

    describe: describeRelationshipQueries,
  }
}

/** Filters, sorts and pages the linkage of a primary resource. */
function applyRelatedQuery(load: RelationLoad): void {
  const { relation, query, ofPrimary, context } = load
  if (!ofPrimary || !context.request?.media.profiles.has(relationshipQueriesProfileUri)) return
  const relatedQuery = query.base.related.get(relation)
  query.where.push(...(relatedQuery?.where ?? []))
  query.sort = relatedQuery?.terms ?? query.sort
  if (relation.toMany && !query.count) limitToFirstPage(load)
}

/** Limits the length of filters and sorts: the page links of every primary resource repeat them. */
function checkRelatedLength(queryContext: QueryContext, { related }: Query): void {
  if (related.size === 0) return
  const limit = listLimit(queryContext, 'MAX_RELATED_QUERY_LENGTH')
  let length = 0
  for (const [relation, relatedQuery] of related) {
    if (relation.toMany) length += toSearch(relatedQuery).length
    checkQueryLimit('characters', length, limit, relatedQuery.parameter)
  }
}

/** Reads the first page of the relationship URL. The page links lead to that URL, with the same filter and sort. */
function limitToFirstPage({ relation, query, context }: RelationLoad): void {
  const { base } = query
  const paginator = defaultPaginator(findPaginator(relation, context.server))
  if (!paginator) return
  const sort = query.sort.length > 0 ? query.sort : defaultSortFor(relation.target, base.visibility)
  query.sort = sort
  query.paginator = paginator
  query.count = paginator.counts
  query.window = paginator.window({}, { ...base, type: relation.target, sort })
  query.search = toSearch(base.related.get(relation))
  if (paginator.profile) context.request?.appliedProfiles.add(paginator.profile)
}

function toSearch(relatedQuery: RelationFilterAndSort | undefined): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(relatedQuery?.filter ?? {})) append(search, `filter[${key}]`, value)
  if (relatedQuery?.sort !== undefined) search.append('sort', relatedQuery.sort)
  return search.toString()
}

function append(search: URLSearchParams, name: string, value: unknown): void {
  if (typeof value === 'string') search.append(name, value)
  else if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, item)
  else for (const [key, part] of Object.entries(value as object)) append(search, `${name}[${key}]`, part)
}
