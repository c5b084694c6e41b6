import { queryParamMalformed } from '#kernel/errors'
import { isPolymorphic, type Server } from '#kernel/plugin'
import { servesTarget } from '#kernel/queries'
import { type DescribedOperation, listParameter, type OpenApiDraft } from '#openapi'
import { relationshipCountNotAllowed } from './errors.ts'

/** Documents `withCount` with the names each operation accepts, and `meta.total` of countable relationships. */
export function describeCounts(
  { operations, relationships, server, afterPlugins }: OpenApiDraft,
  profile: string,
): void {
  if (!server.parameters.has('withCount')) return
  for (const { relation, meta } of relationships) {
    if (relation.options.countable && servesTarget(server, relation)) {
      meta.total = {
        type: 'integer',
        minimum: 0,
        description: 'The number of members, if `withCount` names the relationship.',
      }
    }
  }
  afterPlugins(() => {
    for (const operation of operations) {
      operation.addErrors(400, relationshipCountNotAllowed.definition, queryParamMalformed.definition)
      const tokens = [...(isCountable(operation) ? ['_self_'] : []), ...countableRelations(operation, server)]
      if (tokens.length === 0) continue
      operation.parameters.push({ ...listParameter('withCount', parameterDescription, tokens), 'x-profile': profile })
    }
  })
}

const parameterDescription =
  'Totals to return: `_self_` for the collection, or names of relationships of the primary data.'

/** Returns true if `_self_` is accepted. Cursor pages never count. */
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
