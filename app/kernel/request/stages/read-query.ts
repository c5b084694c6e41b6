import { queryParamUnrecognized } from '../../errors/core-errors.ts'
import { Faults } from '../../errors/faults.ts'
import { createQuery, type Query } from '../../model/query.ts'
import type { QueryContext } from '../../model/query-context.ts'
import type { Families } from '../../model/query-parameters.ts'

/** Passes every query family to the plugin that owns it, then throws all faults together. */
export function readQuery(reading: QueryContext, families: Families): Query {
  const { app, server, target, strict, limits, visibility } = reading
  const query = createQuery(target, families, new Faults(limits.errors))
  query.visibility = visibility
  query.maxPageSize = maxPageSize(reading)
  for (const [family, value] of families) {
    const read = server.parameters.get(family)
    if (read) read(value, query, reading)
    else if (isRefused(family, strict)) {
      query.faults.push(queryParamUnrecognized({ parameter: family }, { source: { parameter: family } }))
    }
  }
  for (const plugin of app.hooks('onQuery')) plugin.onQuery?.(reading, query)
  query.faults.throwAny()
  return query
}

/** A page is never larger than a document: of identifiers for linkage, of resources otherwise. */
function maxPageSize({ app, target }: QueryContext): number {
  const { documentResources, documentIdentifiers } = app.config.limits
  return (target.kind === 'relationship' ? documentIdentifiers : documentResources) || Number.POSITIVE_INFINITY
}

/** `profile` is tolerated; other names are refused, of which lower-case ones always, because the standard reserves them. */
function isRefused(family: string, strict: boolean): boolean {
  return family !== 'profile' && (strict || /^[a-z]+$/.test(family))
}
