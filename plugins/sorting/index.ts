import Joi from 'joi'
import {
  acceptedNames,
  type ErrorFactory,
  phrase,
  queryParamMalformed,
  queryParamUnrecognized,
  sortingUnsupported,
} from '#kernel/errors'
import {
  type Fact,
  isPolymorphic,
  isWrite,
  type Plugin,
  type Query,
  type QueryContext,
  type ResourceType,
  type Target,
} from '#kernel/plugin'
import type { SortTerm } from '#kernel/queries'
import { checkQueryLimit, defaultSortFor, listLimit, repeatWithout, splitList } from '#query'
import { describeSorting } from './describe.ts'
import { sortingUnrecognized } from './errors.ts'
import {
  compileSorts,
  findSorts,
  relationSorts,
  type SortHandlers,
  type Sorts,
  type SortsOf,
  toTerms,
} from './sorts.ts'

export { sortingUnsupported } from '#kernel/errors'
export { type DeclaredSort, findSorts, relationSorts, type SortBy, type SortHandler, type SortsOf } from './sorts.ts'

declare module '#kernel' {
  interface AttributeModifiers<Entity> {
    /** Accepts the field in `sort`. Sorts by the property that stores it. */
    sortable(): this & Fact<{ sortable: true }>
  }
  interface RelatedModifiers<Related> {
    /** Sort keys that only this relation accepts. Call it after `storedAs`. */
    withSorts<const Sorts extends SortsOf<Related>>(sorts: Sorts): this & Fact<{ sorts: keyof Sorts }>
  }
  interface FieldOptions {
    sortable?: boolean
    sorts?: SortsOf<never>
  }
  interface ResourceKeys<Entity> {
    /** Sort keys in addition to the sortable fields: each sorts by a property or by a handler. */
    readonly sorts?: SortsOf<Entity>
    /** The order of requests without `sort`: `['-releasedAt']`. */
    readonly defaultSort?: readonly string[]
  }
}

const sortForm = Joi.alternatives(
  Joi.string(),
  Joi.object({
    property: Joi.string(),
    handler: Joi.alternatives(Joi.string(), Joi.function()),
    availableWhen: Joi.function(),
  }),
)
const sortsForm = Joi.object().pattern(Joi.string(), sortForm)

export interface SortingOptions {
  /** Handlers of custom sorts, by name. */
  readonly handlers?: SortHandlers
}

/** Reads `sort=-releasedAt,title`, and applies the default sort of a type. */
export function sorting({ handlers = {} }: SortingOptions = {}): Plugin {
  return {
    name: 'sorting',
    environment: { MAX_SORT_KEYS: Joi.number().integer().min(0).default(10) },
    keys: { sorts: sortsForm, defaultSort: Joi.array().items(Joi.string()) },
    errors: [sortingUnrecognized.definition],
    modifiers: {
      arguments: { withSorts: [sortsForm.required()] },
      attribute: { sortable: () => ({ options: { sortable: true } }) },
      relation: { withSorts: (_, sorts: SortsOf<never>) => ({ options: { sorts } }) },
    },

    onCompile(registry) {
      compileSorts(registry, handlers)
    },

    parameters: {
      sort: {
        list(value, query, queryContext) {
          const unsupported = unsupportedError(queryContext)
          if (unsupported) query.faults.push(unsupported({ parameter: 'sort', hint: repeatWithout }, sortSource))
          else if (typeof value !== 'string') {
            query.faults.push(
              queryParamMalformed(
                { parameter: 'sort', expected: phrase('a comma-separated list of sort keys') },
                sortSource,
              ),
            )
          } else {
            const sorts = sortsAt(queryContext, query)
            query.sort = readSort({ parameter: 'sort', value, sorts, type: query.type }, query, queryContext)
          }
        },
        isAccepted: (queryContext, query) => !unsupportedError(queryContext) && sortsAt(queryContext, query).size > 0,
      },
    },

    onQuery(queryContext, query) {
      for (const [relation, relatedQuery] of query.related) {
        if (!relatedQuery.sort) continue
        const sent = { ...relatedQuery.sort, sorts: relationSorts(relation), type: relation.target }
        relatedQuery.terms = readSort(sent, query, queryContext)
      }
      if (query.sort.length === 0 && hasDefaultSort(queryContext.target, query)) {
        query.sort = defaultSortFor(query.type, query.visibility)
      }
    },

    describe: describeSorting,
  }
}

const sortSource = { source: { parameter: 'sort' } }

interface SentSort {
  /** The name of the query parameter as sent: `sort`, `rQ[tracks][sort]`. */
  readonly parameter: string
  readonly value: string
  readonly sorts: Sorts
  /** The type of the sorted rows. */
  readonly type: ResourceType
}

function readSort(sent: SentSort, query: Query, queryContext: QueryContext): readonly SortTerm[] {
  const { parameter, value, sorts, type } = sent
  const source = { source: { parameter } }
  if (sorts.size === 0) {
    query.faults.push(sortingUnsupported({ parameter }, source))
    return []
  }
  const entries = splitList(value)
  checkQueryLimit('sort keys', entries.length, listLimit(queryContext, 'MAX_SORT_KEYS'), parameter)
  return distinct(entries).flatMap((entry) => {
    const terms = toTerms(entry, sorts, queryContext, query.visibility)
    if (terms) return terms
    const sortable = [...sorts.keys()].filter((key) => toTerms(key, sorts, queryContext, query.visibility))
    const key = readKey(entry)
    query.faults.push(
      sortingUnrecognized({ type: type.name, parameter: key, sortable: acceptedNames(sortable, key) }, source),
    )
    return []
  })
}

/** Removes repeated keys, which cannot change the order. */
function distinct(entries: readonly string[]): string[] {
  const seen = new Set<string>()
  return entries.filter((entry) => !seen.has(readKey(entry)) && seen.add(readKey(entry)))
}

function readKey(entry: string): string {
  return entry.replace(/^-/, '')
}

function sortsAt({ target: { relation } }: QueryContext, { type }: Query): Sorts {
  return relation ? relationSorts(relation) : findSorts(type)
}

/** Returns the error for a request that does not support `sort`; null if it does. */
function unsupportedError({ target, kind: operation }: QueryContext): ErrorFactory | null {
  const { kind, relation } = target
  if (kind === 'resource' || kind === 'action' || isWrite(operation)) {
    return kind === 'relationship' ? queryParamUnrecognized : sortingUnsupported
  }
  if (kind === 'relationship' && relation && relation.pivotFields.length > 0) return queryParamUnrecognized
  return relation && (!relation.toMany || isPolymorphic(relation)) ? queryParamUnrecognized : null
}

/** Linkage without `page` and `filter` keeps the stored order. */
function hasDefaultSort({ kind, relation }: Target, query: Query): boolean {
  if (kind === 'collection') return true
  if (!relation?.toMany || isPolymorphic(relation)) return false
  return kind === 'related' || query.requested.has('page') || query.requested.has('filter')
}
