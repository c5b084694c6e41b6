import Joi from 'joi'
import type { Plugin, Query, QueryContext, Relation } from '#kernel/plugin'
import type { RelationFilterAndSort, RelationLoad } from '#kernel/queries'
import { cursorSortFault, defaultPaginator, findPaginator, limitToFirstPage } from '#plugins/pagination/index.ts'
import { checkQueryLimit, defaultSortFor, listLimit } from '#query'
import { describeRelationshipQueries } from './describe.ts'
import { acceptsRelatedQuery, readRelatedQuery, relationshipQueriesProfileUri } from './read-related-query.ts'

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
      relatedQuery: {
        read: (value, query, context) => readRelatedQuery('relatedQuery', value, query, context),
        isAccepted: acceptsRelatedQuery,
      },
      rQ: {
        read: (value, query, context) => readRelatedQuery('rQ', value, query, context),
        isAccepted: acceptsRelatedQuery,
      },
    },

    onQuery(queryContext, query) {
      checkRelatedLength(queryContext, query)
      for (const [relation, relatedQuery] of query.related)
        checkRelatedSort(relation, relatedQuery, queryContext, query)
    },

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
  if (relation.toMany && !query.count) pageLinkage(load)
}

/** Limits the length of filters and sorts: the page links of every primary resource repeat them. */
function checkRelatedLength(queryContext: QueryContext, { related }: Query): void {
  if (related.size === 0) return
  const limit = listLimit(queryContext, 'MAX_RELATED_QUERY_LENGTH')
  let length = 0
  const count = (part: Parameters<typeof toSearch>[0], parameter: string) => {
    length += toSearch(part).length
    checkQueryLimit('characters', length, limit, parameter)
  }
  for (const [{ toMany }, { filter, sort }] of related) {
    if (toMany && filter) count({ filter }, filter.parameter)
    if (toMany && sort) count({ sort }, sort.parameter)
  }
}

/** Rejects an order that the cursors in the page links of a relation cannot represent. */
function checkRelatedSort(
  relation: Relation,
  { sort, terms }: RelationFilterAndSort,
  { server }: QueryContext,
  { faults }: Query,
): void {
  if (!sort || !defaultPaginator(findPaginator(relation, server))?.keyset) return
  const fault = cursorSortFault(terms, sort.parameter)
  if (fault) faults.push(fault)
}

/** Reads the first page of the relationship URL. The page links lead to that URL, with the same filter and sort. */
function pageLinkage(load: RelationLoad): void {
  const { relation, query, context } = load
  const { base } = query
  const paginator = defaultPaginator(findPaginator(relation, context.server))
  if (!paginator) return
  const sort = query.sort.length > 0 ? query.sort : defaultSortFor(relation.target, base.visibility)
  limitToFirstPage(load, paginator, sort)
  query.sort = sort
  query.count = paginator.counts
  query.search = toSearch(base.related.get(relation))
}

function toSearch({ filter, sort }: Pick<RelationFilterAndSort, 'filter' | 'sort'> = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(filter?.value ?? {})) append(search, `filter[${key}]`, value)
  if (sort) search.append('sort', sort.value)
  return search.toString()
}

function append(search: URLSearchParams, name: string, value: unknown): void {
  if (typeof value === 'string') search.append(name, value)
  else if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, item)
  else for (const [key, part] of Object.entries(value as object)) append(search, `${name}[${key}]`, part)
}
