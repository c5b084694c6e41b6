import {
  checkLength,
  defaultSortFor,
  type ErrorFactory,
  isPolymorphic,
  isWrite,
  type Plugin,
  phrase,
  type Query,
  type QueryContext,
  queryParamMalformed,
  queryParamUnrecognized,
  type Relation,
  type SortTerm,
  splitList,
  type Target,
} from '#kernel/plugin'
import { describeSorting } from './describe.ts'
import { sortingUnrecognized, sortingUnsupported } from './errors.ts'
import { compileSorts, relationSorts, type SortHandlers, type Sorts, type SortsOf, sortsOf, toTerms } from './sorts.ts'

export { sortingUnsupported } from './errors.ts'
export { type DeclaredSort, relationSorts, type SortBy, type SortHandler, type SortsOf, sortsOf } from './sorts.ts'

declare module '#kernel' {
  interface AttributeWords<Entity> {
    /** Allowed in `sort`, by the property behind the field. */
    sortable(): this
  }
  interface RelatedWords<Related> {
    /** Sort keys of the related rows that are known on this relation only. Say `storedAs` before it. */
    withSorts(sorts: SortsOf<Related>): this
  }
  interface FieldOptions {
    sortable?: boolean
    sorts?: SortsOf<never>
  }
  interface ResourceWords<Entity> {
    /** Sort keys besides the sortable fields: a property each, or a sort of its own. */
    readonly sorts?: SortsOf<Entity>
    /** The order without `sort`: `['-releasedAt']`. */
    readonly defaultSort?: readonly string[]
  }
}

export interface SortingOptions {
  /** Handlers of custom sorts, by name. */
  readonly handlers?: SortHandlers
}

/** `sort=-releasedAt,title`, and the order a type has by itself. */
export function sorting({ handlers = {} }: SortingOptions = {}): Plugin {
  return {
    name: 'sorting',
    keys: ['sorts', 'defaultSort'],
    errors: [sortingUnrecognized.definition, sortingUnsupported.definition],
    modifiers: {
      attribute: { sortable: () => ({ options: { sortable: true } }) },
      relation: { withSorts: (_, sorts: SortsOf<never>) => ({ options: { sorts } }) },
    },

    onCompile(registry) {
      compileSorts(registry, handlers)
    },

    parameters: {
      sort(value, query, reading) {
        const { relation } = reading.target
        const refusal = refusalOf(reading)
        if (refusal) query.faults.push(refusal({ parameter: 'sort' }, bySort))
        else if (typeof value !== 'string') {
          query.faults.push(
            queryParamMalformed({ parameter: 'sort', expected: phrase('a comma list of keys') }, bySort),
          )
        } else query.sort = readSort(value, query, relation ? relationSorts(relation) : sortsOf(query.type), reading)
      },
    },

    onQuery(reading, query) {
      for (const [relation, asked] of query.related) {
        if (asked.sort !== undefined)
          asked.terms = readSort(asked.sort, query, relationSorts(relation), reading, relation)
      }
      if (query.sort.length === 0 && isOrdered(reading.target, query)) {
        query.sort = defaultSortFor(query.type, query.visibility)
      }
    },

    describe: describeSorting,
  }
}

const bySort = { source: { parameter: 'sort' } }

function readSort(
  value: string,
  query: Query,
  sorts: Sorts,
  { request, limits }: QueryContext,
  related?: Relation,
): readonly SortTerm[] {
  if (sorts.size === 0) {
    query.faults.push(sortingUnsupported({}, bySort))
    return []
  }
  const entries = splitList(value)
  const parameter = related ? `${query.related.get(related)?.parameter}[sort]` : 'sort'
  checkLength('sort keys', entries.length, limits.sortKeys, parameter)
  const { name } = related?.target ?? query.type
  return distinct(entries).flatMap((entry) => {
    const terms = toTerms(entry, sorts, request, query.visibility)
    if (terms) return terms
    query.faults.push(sortingUnrecognized({ type: name, parameter: keyOf(entry) }, bySort))
    return []
  })
}

/** A key that comes again cannot change the order. */
function distinct(entries: readonly string[]): string[] {
  const seen = new Set<string>()
  return entries.filter((entry) => !seen.has(keyOf(entry)) && seen.add(keyOf(entry)))
}

function keyOf(entry: string): string {
  return entry.replace(/^-/, '')
}

/** Which error answers `sort` where nothing can be sorted. */
function refusalOf({ target, kind: operation }: QueryContext): ErrorFactory | null {
  const { kind, relation } = target
  if (kind === 'resource' || isWrite(operation)) {
    return kind === 'relationship' ? queryParamUnrecognized : sortingUnsupported
  }
  if (kind === 'relationship' && relation && relation.pivotFields.length > 0) return queryParamUnrecognized
  return relation && (!relation.toMany || isPolymorphic(relation)) ? queryParamUnrecognized : null
}

/** The default order holds where a collection is asked for; a bare linkage read keeps the stored order. */
function isOrdered({ kind, relation }: Target, query: Query): boolean {
  if (kind === 'collection') return true
  if (!relation?.toMany || isPolymorphic(relation)) return false
  return kind === 'related' || query.requested.has('page') || query.requested.has('filter')
}
