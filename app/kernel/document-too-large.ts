import type { Context } from './context.ts'
import { documentTooLarge as error } from './core-errors.ts'
import { type ApiError, type ErrorOptions, type Phrase, phrase } from './errors.ts'
import type { RelationLoad } from './plugin.ts'
import type { Query } from './query.ts'

/** What does not fit into a document, and where it was found. */
export interface Excess {
  readonly counted: 'resources' | 'identifiers'
  readonly query: Query
  readonly context: Context
  /** The relation whose members do not fit; left out for primary data of a collection. */
  readonly load?: RelationLoad | undefined
}

/** The error names the limit, the part of the document that exceeds it, and requests that would be accepted. */
export function documentTooLarge(excess: Excess): ApiError {
  const { documentResources, documentIdentifiers } = excess.context.app.config.limits
  const isResources = excess.counted === 'resources'
  return error(
    {
      limit: isResources ? documentResources : documentIdentifiers,
      counted: isResources ? phrase('resources') : phrase('resource identifiers'),
      part: partOf(excess),
      accepted: acceptedInstead(excess),
    },
    sourceOf(excess),
  )
}

export function isDocumentTooLarge(thrown: unknown): boolean {
  return (thrown as Partial<ApiError> | null)?.definition === error.definition
}

function partOf({ load }: Excess): Phrase {
  if (!load) return phrase('its primary data')
  const { path } = load
  if (load.included) return phrase("the include path '{path}'", { path })
  return phrase("the relationship '{path}'", { path })
}

function acceptedInstead({ query, context, load }: Excess): Phrase {
  if (context.batch) return phrase('fewer operations')
  if (!load) return phrase('a filter or a page that selects fewer resources')
  if (load.primary) return hasPages(load) ? phrase('a page of it (page[size])') : phrase('a page of its related URL')
  if (load.included || query.includeRequested) {
    return phrase('a shorter include, a smaller page (page[size]) or one page of each relationship (relatedQuery)')
  }
  return phrase('a fieldset without it, a smaller page (page[size]) or one page of each relationship (relatedQuery)')
}

/** Linkage with association rows is only read whole. */
function hasPages({ relation, query }: RelationLoad): boolean {
  return !query.linkage || relation.pivotFields.length === 0
}

function sourceOf({ query, load }: Excess): ErrorOptions {
  if (load?.primary) return hasPages(load) ? { source: { parameter: 'page' } } : {}
  return load && query.includeRequested ? { source: { parameter: 'include' } } : {}
}
