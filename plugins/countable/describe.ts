import { isPolymorphic, queryParamMalformed, type Server, servesTarget } from '#kernel/plugin'
import { type DescribedOperation, listParameter, type OpenApiDraft } from '#openapi'
import { relationshipCountNotAllowed } from './errors.ts'

/** What may be counted where. */
export function describeCounts({ operations, relationships, server, afterwards }: OpenApiDraft, profile: string): void {
  if (!server.parameters.has('withCount')) return
  for (const { relation, meta } of relationships) {
    if (relation.options.countable && servesTarget(server, relation)) {
      meta.total = { type: 'integer', minimum: 0, description: 'How many members it has, when `withCount` names it.' }
    }
  }
  afterwards(() => {
    for (const operation of operations) {
      operation.fail(400, relationshipCountNotAllowed.definition, queryParamMalformed.definition)
      const tokens = [...(isCountable(operation) ? ['_self_'] : []), ...countableRelations(operation, server)]
      if (tokens.length === 0) continue
      const said = 'What to count: the collection itself, or relationships of what is shown.'
      operation.parameters.push({ ...listParameter('withCount', said, tokens), 'x-profile': profile })
    }
  })
}

/** Pages by cursor never count. */
function isCountable({ kind, type, relation, paginator }: DescribedOperation): boolean {
  if (kind === 'FetchCollection') return type?.declaration.countable === true && !paginator?.keyset
  if (!relation?.toMany || !relation.options.countable) return false
  if (kind === 'FetchRelated') return !paginator?.keyset
  return kind === 'FetchRelationship' && !isPolymorphic(relation) && relation.pivotFields.length === 0
}

function countableRelations({ shows: [type, ...others] }: DescribedOperation, server: Server): string[] {
  if (!type || others.length > 0) return []
  return type.relations
    .filter((relation) => relation.hidden !== true && relation.toMany && relation.options.countable)
    .filter((relation) => servesTarget(server, relation))
    .map(({ name }) => name)
}
