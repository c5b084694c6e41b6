import { Faults, type Server } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft, Parameter } from '#openapi'
import { choosePaginator, paginatorOf } from '#plugins/pagination/index.ts'
import { cursorMalformed, cursorStale } from './errors.ts'
import { cursorProfileUri } from './paginator.ts'

/** Documents the cursor errors on operations that page by cursor, and marks included collections that do. */
export function describeCursors({ operations, relationships, server, afterPlugins }: OpenApiDraft): void {
  for (const relationship of relationships) {
    if (pagesByCursor(relationship.relation, server)) relationship.paged = true
  }
  afterPlugins(() => {
    for (const operation of operations) {
      if (acceptsCursor(operation)) operation.addErrors(400, cursorMalformed.definition, cursorStale.definition)
    }
  })
}

function pagesByCursor(relation: Parameters<typeof paginatorOf>[0], server: Server): boolean {
  const paginator = relation.toMany ? paginatorOf(relation, server) : null
  return choosePaginator(paginator, {}, { faults: new Faults(0) }, server)?.profile === cursorProfileUri
}

function acceptsCursor({ parameters }: DescribedOperation): boolean {
  return parameters.some((parameter) => (parameter as Parameter)['x-profile'] === cursorProfileUri)
}
