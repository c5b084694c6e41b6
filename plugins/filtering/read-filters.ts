import {
  type ApiRequest,
  type Condition,
  checkLength,
  type ErrorContext,
  type ErrorFactory,
  isMap,
  isPolymorphic,
  isWrite,
  type ParamMap,
  type ParamValue,
  type Phrase,
  type Query,
  type QueryContext,
  queryParamMalformed,
  queryParamUnrecognized,
  type Relation,
  type ResourceType,
  type Target,
} from '#kernel/plugin'
import { type Filters, filtersOf, presetsOf, relationFilters } from './compile-filters.ts'
import { conditionOf } from './condition/filter-condition.ts'
import { countValues, toSent } from './condition/values.ts'
import type { Place } from './declare/check-declaration.ts'
import type { FilterDefinition, FilterHandler } from './declare/definition.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'

export type Handlers = Readonly<Record<string, FilterHandler>>

/** Reads `filter` into the conditions of the query. */
export function readFilters(value: ParamValue, query: Query, reading: QueryContext, handlers: Handlers): void {
  const { target } = reading
  const filters = filtersAt(reading)
  if (!filters) fault(query, queryParamUnrecognized, 'filter', { parameter: 'filter' })
  else if (!isMap(value)) {
    fault(query, queryParamMalformed, 'filter', { parameter: 'filter', expected: 'filter[key]=value' })
  } else {
    const known = readSent(value, filters, 'filter', {
      query,
      reading,
      place: placeOf(target, handlers),
      where: query.where,
    })
    query.single ||= target.kind === 'collection' && known.some((filter) => filter.singular)
  }
}

/** Reads what was asked of relations of the primary data, as their own URLs would. */
export function readRelatedFilters(query: Query, reading: QueryContext, handlers: Handlers): void {
  for (const [relation, asked] of query.related) {
    if (!asked.filter) continue
    const where: Condition[] = []
    const place = placeOf({ type: relation.owner, relation }, handlers)
    readSent(asked.filter, relationFilters(relation), `${asked.parameter}[filter]`, { query, reading, place, where })
    asked.where = where
  }
}

/** What filters are read for, and where their conditions go. */
interface Sending {
  readonly query: Query
  readonly reading: QueryContext
  readonly place: Place
  readonly where: Condition[]
}

/** Conditions of the filters that were sent; returns those that are known. */
function readSent(sent: ParamMap, filters: Filters, family: string, sending: Sending): FilterDefinition[] {
  const { query, reading, where } = sending
  return Object.entries(sent).flatMap(([key, value]) => {
    const filter = filters.get(key)
    if (filter && isAvailable(filter, reading.request) && filter.isExposed(query.visibility)) {
      checkLength('filter values', countValues(filter, value), reading.limits.filterValues, `${family}[${key}]`)
      const condition = readFilter(filter, value, sending)
      if (condition) where.push(condition)
      return [filter]
    }
    fault(query, filteringUnrecognized, `filter[${key}]`, { filter: key })
    return []
  })
}

/** An empty value lifts a default. */
function readFilter(
  filter: FilterDefinition,
  sent: ParamValue,
  { query, reading, place }: Sending,
): Condition | undefined {
  if (filter.default !== undefined && sent === '') return undefined
  const { key } = filter
  const refuse = (reason: Phrase) => fault(query, filterValueInvalid, `filter[${key}]`, { filter: key, reason })
  return conditionOf(filter, sent, { place, request: reading.request, refuse })
}

/** Conditions of the filters that apply without being sent. */
export function applyPresets(
  presets: readonly FilterDefinition[],
  sent: ParamMap,
  place: Place,
  request: ApiRequest | null,
  where: Query['where'],
): void {
  for (const filter of presets) {
    const { key, default: preset } = filter
    if (preset === undefined || Object.hasOwn(sent, key) || !isAvailable(filter, request)) continue
    const condition = conditionOf({ ...filter, rules: [] }, toSent(preset), { place, request, refuse: () => {} })
    if (condition) where.push(condition)
  }
}

export function placeOf({ type, relation }: Pick<Target, 'type' | 'relation'>, handlers: Handlers): Place {
  return { type: (relation?.target ?? type) as ResourceType, relation: relation ?? null, handlers }
}

/** What `filter` may name at a URL; null where the parameter is not known at all. */
function filtersAt({ target: { kind, type, relation }, kind: operation }: QueryContext): Filters | null {
  const reads = !isWrite(operation)
  if (relation) return reads && isFiltered(kind, relation) ? relationFilters(relation) : null
  return kind === 'collection' && reads ? filtersOf(type) : new Map()
}

/** Members of several types have no filter in common; linkage with association rows is only read whole. */
function isFiltered(kind: Target['kind'], relation: Relation): boolean {
  return !isPolymorphic(relation) && (kind === 'related' || relation.pivotFields.length === 0)
}

export const none: readonly FilterDefinition[] = []

/** Defaults hold for collections; linkage is one when it is paged, sorted or filtered. */
export function presetsAt({ kind, type, relation }: Target, { requested }: Query): readonly FilterDefinition[] {
  if (kind === 'collection') return presetsOf(filtersOf(type))
  if (!relation?.toMany || !isFiltered(kind, relation)) return none
  const queried = requested.has('page') || requested.has('sort') || requested.has('filter')
  return kind === 'related' || queried ? presetsOf(relationFilters(relation)) : none
}

function isAvailable({ availableWhen }: FilterDefinition, request: ApiRequest | null): boolean {
  return !availableWhen || !request || availableWhen(request)
}

function fault({ faults }: Query, error: ErrorFactory, parameter: string, context: ErrorContext): void {
  faults.push(error(context, { source: { parameter } }))
}
