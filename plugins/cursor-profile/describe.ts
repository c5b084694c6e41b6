import { Faults, type Server } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Parameter } from '#openapi'
import { choosePaginator, paginatorOf } from '#plugins/pagination/index.ts'
import { cursorMalformed, cursorStale } from './errors.ts'
import { cursorProfileUri } from './paginator.ts'

/** Which collections are walked by cursor, and what may be wrong with one. */
export function describeCursors({ operations, relationships, server, afterwards }: OpenApiDraft): void {
  for (const relationship of relationships) {
    if (isWalked(relationship.relation, server)) relationship.paged = true
  }
  afterwards(() => {
    for (const operation of operations) {
      if (takesCursor(operation)) operation.fail(400, cursorMalformed.definition, cursorStale.definition)
    }
  })
}

function isWalked(relation: Parameters<typeof paginatorOf>[0], server: Server): boolean {
  const paginator = relation.toMany ? paginatorOf(relation, server) : null
  return choosePaginator(paginator, {}, { faults: new Faults(0) }, server)?.profile === cursorProfileUri
}

function takesCursor({ parameters }: DescribedOperation): boolean {
  return parameters.some((parameter) => (parameter as Parameter)['x-profile'] === cursorProfileUri)
}
