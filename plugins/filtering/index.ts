import { isMap, isPolymorphic, isWrite, type Plugin } from '#kernel/plugin'
import { checkHops } from './check-hidden-rows.ts'
import { compileFilters, presetsOf, relationFilters } from './compile-filters.ts'
import type { DeclaredFilter, FilterBuilders } from './declare/builder-types.ts'
import { filterWords } from './declare/builders.ts'
import type { FilterHandler } from './declare/definition.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'
import { describeFilters } from './openapi/describe.ts'
import { applyPresets, none, placeOf, presetsAt, readFilters, readRelatedFilters } from './read-filters.ts'

export { filtersOf, relationFilters } from './compile-filters.ts'
export type { DeclaredFilter, FilterBuilders } from './declare/builder-types.ts'
export type { FilterDefinition, FilterHandler } from './declare/definition.ts'
export { search } from './search.ts'

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
    keys: ['filters'],
    errors: [filteringUnrecognized.definition, filterValueInvalid.definition],
    modifiers: {
      relation: {
        withFilters: (_, declare: (words: typeof filterWords) => readonly DeclaredFilter[]) => ({
          options: { filters: declare(filterWords) },
        }),
      },
    },

    onCompile(registry) {
      compileFilters(registry, handlers)
    },

    onCompiled: checkHops,

    parameters: {
      filter: (value, query, reading) => readFilters(value, query, reading, handlers),
    },

    onQuery(reading, query) {
      const { target, kind, request } = reading
      readRelatedFilters(query, reading, handlers)
      const presets = isWrite(kind) ? none : presetsAt(target, query)
      if (presets.length > 0) {
        const sent = query.requested.get('filter')
        applyPresets(presets, isMap(sent) ? sent : {}, placeOf(target, handlers), request, query.where)
      }
      if (query.single) query.window = { limit: 1, offset: 0, probe: false }
    },

    appliesTo: ({ relations }) => relations.some((relation) => presetsOf(relationFilters(relation)).length > 0),

    /** A relation that is windowed or counted is a collection, as its own URL would show it. */
    beforeRelationLoad({ relation, query, primary, ofPrimary, context: { request } }) {
      if (primary || !query.window || isPolymorphic(relation)) return
      const presets = presetsOf(relationFilters(relation))
      if (presets.length === 0) return
      const asked = ofPrimary ? query.base.related.get(relation) : undefined
      const place = placeOf({ type: relation.owner, relation }, handlers)
      applyPresets(presets, asked?.filter ?? {}, place, request, query.where)
    },

    describe: describeFilters,
  }
}
