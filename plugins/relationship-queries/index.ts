import {
  checkLength,
  defaultSortFor,
  type Plugin,
  type Query,
  type QueryContext,
  type RelatedQuery,
  type RelationLoad,
} from '#kernel/plugin'
import { choosePaginator, paginatorOf } from '#plugins/pagination/index.ts'
import { describeRelatedQueries } from './describe.ts'
import { readRelatedQuery, relationshipQueriesProfileUri } from './read-related-query.ts'

export { relationshipQueriesProfileUri } from './read-related-query.ts'

/**
 * `relatedQuery[tracks][filter][title]=x`, `rQ[tracks][sort]=-title`: filters and sorts the relationships of primary
 * resources. A client that negotiates the profile gets the first page of every to-many that is shown.
 */
export function relationshipQueries(): Plugin {
  return {
    name: 'relationship-queries',
    requires: ['pagination'],
    profiles: [relationshipQueriesProfileUri],

    onRequest({ media, appliedProfiles }) {
      if (media.profiles.has(relationshipQueriesProfileUri)) appliedProfiles.add(relationshipQueriesProfileUri)
    },

    parameters: {
      relatedQuery: (value, query, reading) => readRelatedQuery('relatedQuery', value, query, reading),
      rQ: (value, query, reading) => readRelatedQuery('rQ', value, query, reading),
    },

    onQuery: checkRelatedLength,

    beforeRelationLoad(load) {
      const { relation, query, ofPrimary, context } = load
      if (!ofPrimary || !context.request?.media.profiles.has(relationshipQueriesProfileUri)) return
      const asked = query.base.related.get(relation)
      query.where.push(...(asked?.where ?? []))
      query.sort = asked?.terms ?? query.sort
      if (relation.toMany && !query.count) openWindow(load)
    },

    describe: describeRelatedQueries,
  }
}

/** Refuses long filters and sorts: the page links of every primary resource repeat them. */
function checkRelatedLength({ request }: QueryContext, { related }: Query): void {
  const limit = request?.app.config.limits.relatedQueryLength ?? 0
  let length = 0
  for (const [relation, asked] of related) {
    if (relation.toMany) length += searchOf(asked).length
    checkLength('characters', length, limit, asked.parameter)
  }
}

/** The first page, as the relation's own URL would show it; its links ask the same there. */
function openWindow({ relation, query, context }: RelationLoad): void {
  const { base } = query
  const paginator = choosePaginator(paginatorOf(relation, context.server), {}, base, context.server)
  if (!paginator) return
  const sort = query.sort.length > 0 ? query.sort : defaultSortFor(relation.target, base.visibility)
  query.sort = sort
  query.paginator = paginator
  query.count = paginator.counts
  query.window = paginator.window({}, { ...base, type: relation.target, sort })
  query.search = searchOf(base.related.get(relation))
  if (paginator.profile) context.request?.appliedProfiles.add(paginator.profile)
}

function searchOf(asked: RelatedQuery | undefined): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(asked?.filter ?? {})) append(search, `filter[${key}]`, value)
  if (asked?.sort !== undefined) search.append('sort', asked.sort)
  return search.toString()
}

function append(search: URLSearchParams, name: string, value: unknown): void {
  if (typeof value === 'string') search.append(name, value)
  else if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, item)
  else for (const [key, part] of Object.entries(value as object)) append(search, `${name}[${key}]`, part)
}
