import { callDeclaredList, isPolymorphic, type Registry, type Relation, type ResourceType } from '#kernel/plugin'
import { filterCondition } from './condition/filter-condition.ts'
import { keyWithBound, type Reject, toParamValue } from './condition/values.ts'
import type { DeclaredFilter } from './declare/builder-types.ts'
import { filterBuilders } from './declare/builders.ts'
import { checkFilter, type FilterOwner, reportFault } from './declare/check-declaration.ts'
import { createFilter, type FilterDefinition, type FilterHandler, type ReadFilter } from './declare/definition.ts'
import { valuesRule } from './declare/value-rules.ts'
import { exposureTest } from './exposure.ts'
import { findListedValues } from './listed-values.ts'
import { recordLookups } from './record-lookups.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The filters of clients. Set in `onCompile`. */
    filters?: Filters
  }
  interface Relation {
    /** The filters of related resources. Set in `onCompile`. */
    filters?: Filters
  }
}

/** The accepted filters by key. If two filters share a key, the first wins. */
export interface Filters extends ReadonlyMap<string, FilterDefinition> {
  /** The filters with a default, which apply when their key is not sent. */
  readonly withDefault: readonly FilterDefinition[]
}

export const noFilters = createFilters([])
export function findFilters(type: ResourceType): Filters {
  return type.filters ?? noFilters
}

/** Returns the filters of the related type, overridden by key with the filters declared on the relation. */
export function relationFilters(relation: Relation): Filters {
  return relation.filters ?? noFilters
}

function createFilters(entries: Iterable<readonly [string, FilterDefinition]>): Filters {
  const filters = new Map(entries)
  return Object.assign(filters, {
    withDefault: [...filters.values()].filter(({ default: value }) => value !== undefined),
  })
}

/** Compiles the filters of all types and relations, and reports their faults to the registry. */
export function compileFilters(registry: Registry, handlers: Readonly<Record<string, FilterHandler>>): void {
  const types: readonly ResourceType[] = [...registry.types.values()]
  for (const type of types) {
    const declared = callDeclaredList(
      () => type.declaration.filters?.(filterBuilders) ?? [],
      (message) => registry.fail(type, 'filters', message),
    )
    type.filters = compile(declared, { type, relation: null, handlers }, registry)
    for (const filter of findFilters(type).values()) recordLookups(filter, type)
  }
  for (const relation of types.flatMap((type) => type.relations)) {
    const { filters: declared = [] } = relation.options
    if (declared.length > 0 && isPolymorphic(relation)) {
      registry.fail(relation.owner, relation.name, 'A polymorphic relation cannot have filters.')
    } else if (relation.target) {
      const filters = compile(declared, { type: relation.target, relation, handlers }, registry)
      relation.filters = createFilters([...findFilters(relation.target), ...filters])
    }
  }
}

/** Adds a filter of a plugin to a type and to the relations that lead to it. Plugins call it in `onCompile`. */
export function addFilter(type: ResourceType, filter: AddedFilter | AddedReader, registry: Registry): void {
  const { key } = filter
  const isOfPrimaryData = !('read' in filter)
  const added = createFilter({ kind: 'custom', builderName: 'custom', target: key, isOfPrimaryData, ...filter })
  const taken = `The filter '${key}' is added by a plugin: choose another key.`
  if (findFilters(type).has(key)) {
    registry.fail(type, 'filters', taken)
    return
  }
  type.filters = createFilters([...findFilters(type), [key, added]])
  for (const relation of [...registry.types.values()].flatMap(({ relations }) => relations)) {
    if (relation.target !== type || isPolymorphic(relation)) continue
    if (relationFilters(relation).has(key)) registry.fail(relation.owner, relation.name, taken)
    else relation.filters = createFilters([...relationFilters(relation), [key, added]])
  }
}

/** A filter of resources as primary data. Its condition is not applied to a single resource. */
export type AddedFilter = Pick<FilterDefinition, 'key' | 'rules' | 'description' | 'availableWhen' | 'condition'>

/** A filter of a collection, of related resources and of linkage whose value the plugin reads. */
export type AddedReader = Pick<FilterDefinition, 'key' | 'servers'> & { readonly read: ReadFilter }

/** Returns the filters that the URL of a single resource accepts. */
export function resourceFilters(type: ResourceType): Filters {
  return createFilters([...findFilters(type)].filter(([, { isOfPrimaryData }]) => isOfPrimaryData))
}

function compile(declared: readonly DeclaredFilter[], owner: FilterOwner, registry: Registry): Filters {
  const filters = new Map<string, FilterDefinition>()
  for (const { filter } of declared) {
    const isValid = checkFilter(filter, owner, registry) && checkDeclaredValues(filter, owner, registry)
    if (isValid && !filters.has(filter.key)) {
      const rules = rulesOf(filter, owner)
      filters.set(filter.key, Object.freeze({ ...filter, rules, isExposed: exposureTest(filter, owner) }))
    }
    if (filter.description !== null) recordDescription(owner, filter.key)
  }
  return createFilters(filters)
}

/** The declared rules, else the values of the attribute, if the filter compares it for equality. */
function rulesOf(filter: FilterDefinition, owner: FilterOwner): FilterDefinition['rules'] {
  const { rules, deserialize, asBoolean } = filter
  const values = rules.length > 0 || deserialize || asBoolean ? null : findListedValues(filter, owner)
  return values ? [valuesRule(values)] : rules
}

function recordDescription({ type, relation }: FilterOwner, key: string): void {
  const member = relation ? `${relation.name}.filters.${key}` : `filters.${key}`
  ;(relation?.owner ?? type).declaredModifiers.push({ member, name: 'describedAs' })
}

/** Reports values of default() and fixed() that the column cannot hold. Rules do not apply to them. */
function checkDeclaredValues(filter: FilterDefinition, owner: FilterOwner, registry: Registry): boolean {
  if (!kindsWithValues.has(filter.kind)) return true
  const faults: string[] = []
  const reject: Reject = (reason, bound) =>
    void faults.push(`The declared value of the filter '${keyWithBound(filter.key, bound)}' ${reason}.`)
  for (const value of [filter.default, filter.fixed]) {
    if (value === undefined) continue
    const unruled = { ...filter, rules: [], fixed: undefined }
    filterCondition(unruled, toParamValue(value), {
      owner,
      parameter: `filter[${filter.key}]`,
      caller: { request: null },
      reject,
    })
  }
  for (const fault of faults) reportFault(fault, owner, registry)
  return faults.length === 0
}

const kindsWithValues = new Set<FilterDefinition['kind']>(['where', 'in', 'idIn', 'through', 'range', 'dateRange'])
