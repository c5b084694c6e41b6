import Joi from 'joi'
import { type Fact, isPolymorphic, isWrite, type Plugin } from '#kernel/plugin'
import { isMap, type RelationLoad } from '#kernel/queries'
import { checkHiddenRows } from './check-hidden-rows.ts'
import { compileFilters, relationFilters } from './compile-filters.ts'
import type { DeclaredFilter, FilterBuilders } from './declare/builder-types.ts'
import { filterBuilders } from './declare/builders.ts'
import type { FilterHandler } from './declare/definition.ts'
import { describeFilters } from './describe.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'
import { applyDefaults, defaultsAt, filtersAt, findOwner, readFilters, readRelatedFilters } from './read-filters.ts'

export { type AddedFilter, type AddedReader, addFilter, findFilters, relationFilters } from './compile-filters.ts'
export { dateSpellings } from './condition/iso-dates.ts'
export { castTo, valueFault } from './condition/values.ts'
export type { DeclaredFilter, FilterBuilders } from './declare/builder-types.ts'
export type { FilterDefinition, FilterHandler, FilterReading, ReadFilter } from './declare/definition.ts'
export { filteringUnrecognized, filterValueInvalid } from './errors.ts'
export { listValues } from './listed-values.ts'
export { search } from './search.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** The accepted filters: `({ contains, range }) => [contains('title'), range('rating', 'averageRating')]`. */
    readonly filters?: (builders: FilterBuilders<Entity>) => readonly DeclaredFilter[]
  }
  interface RelatedModifiers<Related> {
    /** Filters of the related rows that only this relation accepts. Call `storedAs` before it. */
    withFilters<const Filters extends readonly DeclaredFilter[]>(
      declare: (builders: FilterBuilders<Related, `pivot.${string}`>) => Filters,
    ): this & Fact<{ filters: Filters }>
  }
  interface FieldOptions {
    filters?: readonly DeclaredFilter[]
  }
}

export interface FilteringOptions {
  /** Handlers of custom filters, by name. */
  readonly handlers?: Readonly<Record<string, FilterHandler>>
}

/** Filters collections by `filter[title]=ok`. */
export function filtering({ handlers = {} }: FilteringOptions = {}): Plugin {
  return {
    name: 'filtering',
    environment: {
      MAX_FILTER_VALUES: Joi.number().integer().min(0).default(100),
      MAX_SEARCH_WORDS: Joi.number().integer().min(0).default(10),
    },
    keys: { filters: Joi.function() },
    errors: [filteringUnrecognized.definition, filterValueInvalid.definition],
    modifiers: {
      relation: {
        withFilters: (_, declare: (builders: typeof filterBuilders) => readonly DeclaredFilter[]) => ({
          options: { filters: declare(filterBuilders) },
        }),
      },
    },

    onCompile(registry) {
      compileFilters(registry, handlers)
      return () => checkHiddenRows(registry)
    },

    parameters: {
      filter: {
        read: (value, query, queryContext) => readFilters(value, query, queryContext, handlers),
        isAccepted: (queryContext) => (filtersAt(queryContext)?.size ?? 0) > 0,
      },
    },

    onQuery(queryContext, query) {
      const { target, kind } = queryContext
      readRelatedFilters(query, queryContext, handlers)
      const defaults = isWrite(kind) ? [] : defaultsAt(target, query)
      if (defaults.length > 0) {
        const sent = query.requested.get('filter')
        applyDefaults(defaults, isMap(sent) ? sent : {}, query.where, {
          owner: findOwner(target, handlers),
          caller: queryContext,
        })
      }
      if (query.single) query.window = { limit: 1, offset: 0, probe: false }
    },

    planType({ type, beforeRelationLoad }) {
      const hasDefaults = type.relations.some((relation) => relationFilters(relation).withDefault.length > 0)
      if (hasDefaults) beforeRelationLoad.push(applyRelationDefaults)
    },

    describe: describeFilters,
  }

  /** Applies defaults to an included relation that is paged or counted, so that it equals its related URL. */
  function applyRelationDefaults({ relation, query, primary, ofPrimary, context }: RelationLoad): void {
    if (primary || !query.window || isPolymorphic(relation)) return
    const defaults = relationFilters(relation).withDefault
    if (defaults.length === 0) return
    const related = ofPrimary ? query.base.related.get(relation) : undefined
    const owner = findOwner({ type: relation.owner, relation }, handlers)
    applyDefaults(defaults, related?.filter?.value ?? {}, query.where, { owner, caller: context })
  }
}
