import { queryParamMalformed } from '#kernel/errors'
import { isPolymorphic, type ResourceType } from '#kernel/plugin'
import type { OpenApiDraft } from '#openapi'
import { relationshipQueriesProfileUri } from './read-related-query.ts'

/** Adds one shared parameter; the sort and filter keys of each relationship are described at its related endpoint. */
export function describeRelationshipQueries({ operations, relationships, server, component }: OpenApiDraft): void {
  if (!server.parameters.has('relatedQuery')) return
  for (const relationship of relationships) {
    const { toMany, pivotFields } = relationship.relation
    if (toMany && pivotFields.length === 0) relationship.paged = true
  }
  for (const operation of operations) {
    const { shows, parameters } = operation
    if (shows.length !== 1 || !hasQueryableRelation(shows[0] as ResourceType)) continue
    parameters.push(component('relatedQuery', () => parameter, 'parameters'))
    operation.addErrors(400, queryParamMalformed.definition)
  }
}

function hasQueryableRelation({ relations }: ResourceType): boolean {
  return relations.some((relation) => relation.hidden !== true && (relation.toMany || !isPolymorphic(relation)))
}

const parameter = {
  name: 'relatedQuery',
  in: 'query',
  description:
    'Filters and sorts the relationships of the primary resources: `relatedQuery[tracks][sort]=-title`, `relatedQuery[tracks][filter][title]=x`; `rQ` is a short form. The keys are those of the related endpoint. Requires the profile in `Accept`.',
  style: 'deepObject',
  explode: true,
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { sort: { type: 'string' }, filter: { type: 'object', additionalProperties: true } },
      additionalProperties: false,
    },
  },
  example: {},
  'x-profile': relationshipQueriesProfileUri,
}
