import { getOrCreate, isPolymorphic, type Registry, type Relation, type ResourceType } from '#kernel/plugin'
import { conditionOf } from './condition/filter-condition.ts'
import { toSent } from './condition/values.ts'
import type { DeclaredFilter } from './declare/builder-types.ts'
import { filterWords } from './declare/builders.ts'
import { type Place, reportFaults } from './declare/check-declaration.ts'
import type { FilterDefinition, FilterHandler } from './declare/definition.ts'
import { isExposedBy } from './exposure.ts'
import { noteLookups } from './record-lookups.ts'

/** What `filter` accepts, by key; of two filters with one key the first counts. */
export type Filters = ReadonlyMap<string, FilterDefinition>

const noFilters: Filters = new Map()
const ofTypes = new WeakMap<ResourceType, Filters>()
const ofRelations = new WeakMap<Relation, Filters>()

export function filtersOf(type: ResourceType): Filters {
  return ofTypes.get(type) ?? noFilters
}

/** The filters of the related type, and those that hold on this relation only, which win a clash. */
export function relationFilters(relation: Relation): Filters {
  return ofRelations.get(relation) ?? noFilters
}

const presets = new WeakMap<Filters, readonly FilterDefinition[]>()

/** Those that apply without being sent. */
export function presetsOf(filters: Filters): readonly FilterDefinition[] {
  return getOrCreate(presets, filters, () => [...filters.values()].filter((filter) => filter.default !== undefined))
}

/** Compiles the filters of all types and relations; what is wrong with them goes to the registry. */
export function compileFilters(registry: Registry, handlers: Readonly<Record<string, FilterHandler>>): void {
  for (const type of registry.types.values()) {
    const declared = type.declaration.filters?.(filterWords) ?? []
    ofTypes.set(type, compile(declared, { type, relation: null, handlers }, registry))
    for (const filter of filtersOf(type).values()) noteLookups(filter, type)
  }
  for (const relation of [...registry.types.values()].flatMap((type) => type.relations)) {
    const { filters: declared = [] } = relation.options
    if (declared.length > 0 && isPolymorphic(relation)) {
      registry.fail(relation.owner, relation.name, 'A relation that leads to several types takes no filters.')
    } else if (relation.target) {
      const own = compile(declared, { type: relation.target, relation, handlers }, registry)
      ofRelations.set(relation, new Map([...filtersOf(relation.target), ...own]))
    }
  }
}

function compile(declared: readonly DeclaredFilter[], place: Place, registry: Registry): Filters {
  const filters = new Map<string, FilterDefinition>()
  for (const { filter } of declared) {
    const sound = reportFaults(filter, place, registry) && checkPresets(filter, place, registry)
    if (sound && !filters.has(filter.key)) {
      filters.set(filter.key, Object.freeze({ ...filter, isExposed: isExposedBy(filter, place) }))
    }
    if (filter.description !== null) note(place, filter.key)
  }
  return filters
}

function note({ type, relation }: Place, key: string): void {
  const member = relation ? `${relation.name}.filters.${key}` : `filters.${key}`
  ;(relation?.owner ?? type).said.push({ member, word: 'describedAs' })
}

/** A preset is not validated, but its column must be able to hold it. */
function checkPresets(filter: FilterDefinition, place: Place, registry: Registry): boolean {
  if (!ofValues.has(filter.kind)) return true
  const reasons: string[] = []
  for (const preset of [filter.default, filter.fixed]) {
    if (preset === undefined) continue
    const bare = { ...filter, rules: [], fixed: undefined }
    conditionOf(bare, toSent(preset), { place, request: null, refuse: (reason) => void reasons.push(String(reason)) })
  }
  for (const reason of reasons) {
    const message = `The preset value of the filter '${filter.key}' ${reason}.`
    registry.fail(place.relation?.owner ?? place.type, place.relation?.name ?? 'filters', message)
  }
  return reasons.length === 0
}

const ofValues = new Set<FilterDefinition['kind']>(['where', 'in', 'idIn', 'through', 'range', 'dateRange'])
