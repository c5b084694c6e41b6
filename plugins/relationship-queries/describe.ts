import { isPolymorphic, type OpenApiDraft, queryParamMalformed, type Relation, type ResourceType } from '#kernel/plugin'
import { relationshipQueriesProfileUri } from './read-related-query.ts'

/** One parameter for all: which relationships it may name, and by what, the related endpoints tell. */
export function describeRelatedQueries({ operations, relationships, server, component }: OpenApiDraft): void {
  if (!server.parameters.has('relatedQuery')) return
  for (const relationship of relationships) {
    const { toMany, pivotFields } = relationship.relation
    if (toMany && pivotFields.length === 0) relationship.paged = true
  }
  for (const operation of operations) {
    const { shows, parameters } = operation
    if (shows.length !== 1 || !hasRelations(shows[0] as ResourceType)) continue
    parameters.push(component('relatedQuery', () => parameter, 'parameters'))
    operation.fail(400, queryParamMalformed.definition)
  }
}

function hasRelations({ relations }: ResourceType): boolean {
  const isNamed = (relation: Relation) => relation.hidden !== true && (relation.toMany || !isPolymorphic(relation))
  return relations.some(isNamed)
}

const parameter = {
  name: 'relatedQuery',
  in: 'query',
  description:
    'Filters and sorts relationships of what is shown: `relatedQuery[tracks][sort]=-title`, `relatedQuery[tracks][filter][title]=x`; `rQ` is short for it. The keys are those of the related endpoint. Only with the profile in `Accept`.',
  style: 'deepObject',
  explode: true,
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { sort: { type: 'string' }, filter: { type: 'object', additionalProperties: true } },
      additionalProperties: false,
    },
    default: {},
  },
  'x-profile': relationshipQueriesProfileUri,
}
