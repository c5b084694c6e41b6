import { type ApiError, documentTooLarge, type ErrorOptions, type Phrase, phrase } from '#kernel/errors'
import type { Excess } from '#kernel/plugin'
import type { RelationLoad } from '#kernel/queries'

/** What one document may hold. Infinity without a limit. */
export interface Limits {
  readonly resources: number
  readonly identifiers: number
}

/** Creates the error: the limit, the part of the document that exceeds it, and requests that would be accepted. */
export function toDocumentTooLarge(excess: Excess, { resources, identifiers }: Limits): ApiError {
  const isResources = excess.counted === 'resources'
  return documentTooLarge(
    {
      limit: isResources ? resources : identifiers,
      counted: isResources ? phrase('resources') : phrase('resource identifiers'),
      part: describePart(excess),
      accepted: acceptedInstead(excess),
    },
    toSource(excess),
  )
}

function describePart({ counted, load }: Excess): Phrase {
  if (!load) return counted === 'resources' ? phrase('its primary data') : phrase('the linkage of to-one relationships')
  const { path } = load
  return load.included ? phrase("the include path '{path}'", { path }) : phrase("the relationship '{path}'", { path })
}

function acceptedInstead(excess: Excess): Phrase {
  const { query, context, load } = excess
  if (context.sharesUnit) return phrase('fewer operations')
  if (isLinkageRead(load)) {
    return hasPages(load) ? phrase('a page (page[size]) or a filter of it') : phrase('a page of its related URL')
  }
  if (isPrimaryData(excess)) {
    return query.paginator ? phrase('a smaller page (page[size])') : phrase('a filter that selects fewer resources')
  }
  return acceptedRelations(excess)
}

/** Mentions `relatedQuery` if the server accepts it. */
function acceptedRelations({ query, context: { server }, load }: Excess): Phrase {
  const acceptsRelatedQuery = server.parameters.has('relatedQuery')
  if (load?.included || query.includeRequested) {
    return acceptsRelatedQuery
      ? phrase('a shorter include, a smaller page (page[size]) or one page of each relationship (relatedQuery)')
      : phrase('a shorter include or a smaller page (page[size])')
  }
  return acceptsRelatedQuery
    ? phrase('fewer relationships (fields), a smaller page (page[size]) or one page of each (relatedQuery)')
    : phrase('fewer relationships (fields) or a smaller page (page[size])')
}

function toSource(excess: Excess): ErrorOptions {
  const { query, load } = excess
  if (isLinkageRead(load)) return hasPages(load) ? { source: { parameter: 'page' } } : {}
  return query.includeRequested && !isPrimaryData(excess) ? { source: { parameter: 'include' } } : {}
}

/** Whether the request reads the linkage of a relationship URL. */
function isLinkageRead(load: RelationLoad | undefined): load is RelationLoad {
  return load?.primary === true && load.query.linkage
}

/** Linkage with pivot values is not paginated. */
function hasPages({ relation }: RelationLoad): boolean {
  return relation.pivotFields.length === 0
}

/** Whether the primary data alone exceed the budget. */
function isPrimaryData({ counted, load }: Excess): boolean {
  return load ? load.primary === true : counted === 'resources'
}
