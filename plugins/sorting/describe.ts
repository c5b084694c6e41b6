import { queryParamMalformed, sortingUnsupported } from '#kernel/errors'
import { isPolymorphic } from '#kernel/plugin'
import { type DescribedOperation, listParameter, type OpenApiDraft } from '#openapi'
import { sortingUnrecognized } from './errors.ts'
import { findSorts, relationSorts, type Sorts } from './sorts.ts'

export function describeSorting({ operations }: OpenApiDraft): void {
  for (const operation of operations) {
    if (!operation.kind) continue
    const sorts = sortsAt(operation)
    if (sorts && sorts.size > 0) {
      const tokens = [...sorts.keys()].flatMap((key) => [key, `-${key}`])
      operation.parameters.push(listParameter('sort', describeOrder(operation), tokens))
      operation.addErrors(400, queryParamMalformed.definition)
    }
    if (operation.shows.length > 0 || sorts) operation.addErrors(400, sortingUnrecognized.definition)
    if (operation.shows.length > 0 || sorts || !operation.relation)
      operation.addErrors(400, sortingUnsupported.definition)
  }
}

/** Returns the keys that `sort` accepts; null if the operation does not support it. */
function sortsAt({ kind, type, relation }: DescribedOperation): Sorts | null {
  if (kind === 'FetchCollection' && type) return findSorts(type)
  if (!relation?.toMany || isPolymorphic(relation)) return null
  if (kind === 'FetchRelated') return relationSorts(relation)
  return kind === 'FetchRelationship' && relation.pivotFields.length === 0 ? relationSorts(relation) : null
}

function describeOrder({ kind, shows }: DescribedOperation): string {
  const order = (shows[0]?.declaration.defaultSort ?? []).map((key) => `\`${key}\``).join(', ')
  const byDefault = order && kind !== 'FetchRelationship' ? ` Default: ${order}.` : ''
  return `Sort keys, most significant first; a leading \`-\` sorts in descending order.${byDefault}`
}
