import type { Plugin } from '#kernel'
import type { FilterHandler } from './definition.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'
import { compileFilters } from './plan.ts'
import type { DeclaredFilter, FilterBuilders } from './vocabulary.ts'
import { filterWords } from './words.ts'

export type { FilterDefinition, FilterHandler } from './definition.ts'
export { filtersOf, relationFilters } from './plan.ts'
export { search } from './search.ts'
export type { DeclaredFilter, FilterBuilders } from './vocabulary.ts'

declare module '#kernel' {
  interface ResourceWords<Entity> {
    /** What `filter` accepts: `({ contains, range }) => [contains('title'), range('rating', 'averageRating')]`. */
    readonly filters?: (words: FilterBuilders<Entity>) => readonly DeclaredFilter[]
  }
  interface RelatedWords<Related> {
    /** Filters of the related rows that are known on this relation only. Say `storedAs` before it. */
    withFilters(declare: (words: FilterBuilders<Related, `pivot.${string}`>) => readonly DeclaredFilter[]): this
  }
  interface FieldOptions {
    filters?: readonly DeclaredFilter[]
  }
}

export interface FilteringOptions {
  /** Handlers of custom filters, by name. */
  readonly handlers?: Readonly<Record<string, FilterHandler>>
}

/** `filter[title]=ok`: which rows of a collection are read. */
export function filtering({ handlers = {} }: FilteringOptions = {}): Plugin {
  return {
    name: 'filtering',
    errors: [filteringUnrecognized.definition, filterValueInvalid.definition],
    modifiers: {
      relation: {
        withFilters: (_, declare: (words: typeof filterWords) => readonly DeclaredFilter[]) => ({
          options: { filters: declare(filterWords) },
        }),
      },
    },
    dormant: ['filters', 'withFilters'],

    onCompile(registry) {
      compileFilters(registry, handlers)
    },
  }
}
