import type { Lookup, ResourceType } from '#kernel/plugin'
import type { FilterDefinition } from './declare/definition.ts'
import { findOperator, relationNamed } from './targets.ts'

/**
 * Records the columns a filter searches, so that `npm run doctor` can report missing indexes. Skips negated filters,
 * which an index does not help.
 */
export function recordLookups(filter: FilterDefinition, type: ResourceType, parameter = `filter[${filter.key}]`): void {
  const { kind, target, negated, properties, children } = filter
  if (kind === 'all' || kind === 'any') for (const child of children) recordLookups(child, type, parameter)
  else if (kind === 'custom') for (const property of properties) addLookup(type, parameter, 'part', property)
  else if (kind === 'through') recordPathLookup(target.split('.'), filter, type, parameter)
  else if (propertyKinds.has(kind) && !negated && findOperator(filter) !== '!=') {
    addLookup(type, parameter, searchMethod(filter), target)
  }
}

const propertyKinds = new Set<FilterDefinition['kind']>(['where', 'in', 'null', 'range', 'dateRange'])
const textMatches: Readonly<Record<string, Lookup['by']>> = { starts: 'start', like: 'part', ends: 'part' }

function searchMethod(filter: FilterDefinition): Lookup['by'] {
  return textMatches[findOperator(filter)] ?? 'value'
}

/** Records the property at the end of the path for the related type. The foreign keys of the path have indexes. */
function recordPathLookup(
  path: readonly string[],
  filter: FilterDefinition,
  type: ResourceType,
  parameter: string,
): void {
  const [name = '', ...rest] = path
  const next = relationNamed(type, name)?.target
  if (rest.length === 0) addLookup(type, parameter, searchMethod(filter), name)
  else if (next) recordPathLookup(rest, filter, next, parameter)
}

function addLookup({ lookups }: ResourceType, parameter: string, by: Lookup['by'], property: string): void {
  lookups.push({ parameter: parameter, by, properties: [property] })
}
