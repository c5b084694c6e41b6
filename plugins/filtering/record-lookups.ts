import type { Lookup, ResourceType } from '#kernel/plugin'
import type { FilterDefinition } from './declare/definition.ts'
import { operatorOf, relationNamed } from './targets.ts'

/** Notes the columns a filter looks at. What it leaves out, as unequal does, is no search. */
export function noteLookups(filter: FilterDefinition, type: ResourceType, asked = `filter[${filter.key}]`): void {
  const { kind, target, negated, properties, children } = filter
  if (kind === 'all' || kind === 'any') for (const child of children) noteLookups(child, type, asked)
  else if (kind === 'custom') for (const property of properties) note(type, asked, 'part', property)
  else if (kind === 'through') noteThrough(target.split('.'), filter, type, asked)
  else if (ofProperty.has(kind) && !negated && operatorOf(filter) !== '!=') note(type, asked, howOf(filter), target)
}

const ofProperty = new Set<FilterDefinition['kind']>(['where', 'in', 'null', 'range', 'dateRange'])
const textMatches: Readonly<Record<string, Lookup['by']>> = { starts: 'start', like: 'part', ends: 'part' }

function howOf(filter: FilterDefinition): Lookup['by'] {
  return textMatches[operatorOf(filter)] ?? 'value'
}

/** The property at the end of the path is one of the related type; the keys on the way have indexes of their own. */
function noteThrough(path: readonly string[], filter: FilterDefinition, type: ResourceType, asked: string): void {
  const [hop = '', ...rest] = path
  const next = relationNamed(type, hop)?.target
  if (rest.length === 0) note(type, asked, howOf(filter), hop)
  else if (next) noteThrough(rest, filter, next, asked)
}

function note({ lookups }: ResourceType, asked: string, by: Lookup['by'], property: string): void {
  lookups.push({ asked, by, properties: [property] })
}
