import {
  acceptedNames,
  type ErrorContext,
  type ErrorFactory,
  queryParamMalformed,
  queryParamUnrecognized,
} from '#kernel/errors'
import {
  isPolymorphic,
  isWrite,
  type Query,
  type QueryContext,
  type Relation,
  type ResourceType,
  type Target,
} from '#kernel/plugin'
import { type Condition, isMap, type ParamMap, type ParamValue } from '#kernel/queries'
import { checkQueryLimit, listLimit, repeatWithout } from '#query'
import { type Filters, findFilters, noFilters, relationFilters, resourceFilters } from './compile-filters.ts'
import { type FilterContext, filterCondition } from './condition/filter-condition.ts'
import { countValues, keyWithBound, type Reject, toParamValue } from './condition/values.ts'
import type { FilterOwner } from './declare/check-declaration.ts'
import type { FilterDefinition, FilterHandler } from './declare/definition.ts'
import { filteringUnrecognized, filterValueInvalid } from './errors.ts'

export type Handlers = Readonly<Record<string, FilterHandler>>

/** Reads `filter` into the conditions of the query. */
export function readFilters(value: ParamValue, query: Query, queryContext: QueryContext, handlers: Handlers): void {
  const { target } = queryContext
  const filters = filtersAt(queryContext)
  if (!filters) addFault(query, queryParamUnrecognized, 'filter', { parameter: 'filter', hint: repeatWithout })
  else if (!isMap(value)) {
    addFault(query, queryParamMalformed, 'filter', { parameter: 'filter', expected: 'filter[key]=value' })
  } else {
    const owner = findOwner(target, handlers)
    const isOfPrimaryData = target.kind !== 'relationship'
    const output = { query, queryContext, owner, where: query.where, isOfPrimaryData }
    const read = readSent(value, filters, 'filter', output)
    query.single ||= target.kind === 'collection' && read.some((filter) => filter.singular)
  }
}

/** Reads the filters sent for relations of the primary data, with the same rules as their related URLs. */
export function readRelatedFilters(query: Query, queryContext: QueryContext, handlers: Handlers): void {
  for (const [relation, related] of query.related) {
    if (!related.filter) continue
    const where: Condition[] = []
    const owner = findOwner({ type: relation.owner, relation }, handlers)
    const output = { query, queryContext, owner, where, isOfPrimaryData: false }
    readSent(related.filter.value, relationFilters(relation), related.filter.parameter, output)
    related.where = where
  }
}

interface FilterOutput {
  readonly query: Query
  readonly queryContext: QueryContext
  readonly owner: FilterOwner
  /** Receives the conditions. */
  readonly where: Condition[]
  /** Whether the filtered rows are the primary data, as resources. */
  readonly isOfPrimaryData: boolean
}

/** Adds the conditions of the sent filters, and a fault for each unknown key. Returns the accepted filters. */
function readSent(sent: ParamMap, filters: Filters, parameter: string, output: FilterOutput): FilterDefinition[] {
  const { query, queryContext, where } = output
  return Object.entries(sent).flatMap(([key, value]) => {
    const filter = filters.get(key)
    const name = `${parameter}[${key}]`
    if (filter && isAccepted(filter, output)) {
      checkQueryLimit('filter values', countValues(filter, value), listLimit(queryContext, 'MAX_FILTER_VALUES'), name)
      const condition = readFilter(filter, value, name, output)
      if (condition) where.push(condition)
      return [filter]
    }
    const accepted = [...filters.values()].filter((candidate) => isAccepted(candidate, output))
    const names = acceptedNames(
      accepted.map((candidate) => candidate.key),
      key,
    )
    addFault(query, filteringUnrecognized, name, { filter: key, accepted: names })
    return []
  })
}

/** Returns false if the server has no such filter, or it is not available to the requester, or reads a field hidden from them. */
function isAccepted(filter: FilterDefinition, { query, queryContext, isOfPrimaryData }: FilterOutput): boolean {
  if (filter.isOfPrimaryData && !isOfPrimaryData) return false
  if (filter.servers && !filter.servers.has(queryContext.server.name)) return false
  return isAvailable(filter, queryContext) && filter.isExposed(query.visibility)
}

/** Returns undefined for an empty value of a filter with a default, which disables the default. */
function readFilter(
  filter: FilterDefinition,
  sent: ParamValue,
  parameter: string,
  { query, queryContext, owner }: FilterOutput,
): Condition | undefined {
  if (filter.default !== undefined && sent === '') return undefined
  const { key, read } = filter
  if (read) return read(sent, { type: owner.type, query, queryContext, key, parameter })
  const reject: Reject = (reason, bound) =>
    addFault(query, filterValueInvalid, parameter, { filter: keyWithBound(key, bound), reason })
  return filterCondition(filter, sent, { owner, parameter, caller: queryContext, reject })
}

/** Adds the conditions of defaults whose keys were not sent. */
export function applyDefaults(
  filters: readonly FilterDefinition[],
  sent: ParamMap,
  where: Query['where'],
  { owner, caller }: Pick<FilterContext, 'owner' | 'caller'>,
): void {
  for (const filter of filters) {
    const { key, default: value } = filter
    if (value === undefined || Object.hasOwn(sent, key) || !isAvailable(filter, caller)) continue
    const context = { owner, parameter: `filter[${key}]`, caller, reject: () => undefined }
    const condition = filterCondition({ ...filter, rules: [] }, toParamValue(value), context)
    if (condition) where.push(condition)
  }
}

export function findOwner({ type, relation }: Pick<Target, 'type' | 'relation'>, handlers: Handlers): FilterOwner {
  return { type: (relation?.target ?? type) as ResourceType, relation: relation ?? null, handlers }
}

/** Returns the filters accepted at a URL; null if it does not accept the parameter at all. */
export function filtersAt({ target: { kind, type, relation }, kind: operation }: QueryContext): Filters | null {
  const isRead = !isWrite(operation)
  if (relation) return isRead && isFilterable(kind, relation) ? relationFilters(relation) : null
  if (!isRead) return noFilters
  return kind === 'collection' ? findFilters(type) : kind === 'resource' ? resourceFilters(type) : noFilters
}

/** Excludes polymorphic relations, and linkage with pivot fields, which is always returned as a whole. */
function isFilterable(kind: Target['kind'], relation: Relation): boolean {
  return !isPolymorphic(relation) && (kind === 'related' || relation.pivotFields.length === 0)
}

/** Returns the filters whose default applies. Linkage has defaults only if it is paged, sorted or filtered. */
export function defaultsAt({ kind, type, relation }: Target, { requested }: Query): readonly FilterDefinition[] {
  if (kind === 'collection') return findFilters(type).withDefault
  if (!relation?.toMany || !isFilterable(kind, relation)) return []
  const isQueried = requested.has('page') || requested.has('sort') || requested.has('filter')
  return kind === 'related' || isQueried ? relationFilters(relation).withDefault : []
}

/** Reads the request only if a function needs it: then the query belongs to this request. */
function isAvailable({ availableWhen }: FilterDefinition, caller: FilterContext['caller']): boolean {
  return !availableWhen || !caller.request || availableWhen(caller.request)
}

function addFault({ faults }: Query, error: ErrorFactory, parameter: string, context: ErrorContext): undefined {
  faults.push(error(context, { source: { parameter } }))
}
