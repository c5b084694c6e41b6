import type { FilterDefinition, Operator } from '../declare/definition.ts'
import { operatorOf } from '../targets.ts'

const comparisons: Readonly<Record<Operator, string>> = {
  '=': 'equals',
  '!=': 'differs from',
  '>': 'is greater than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  like: 'contains',
  starts: 'begins with',
  ends: 'ends with',
}

/** A filter in words: what its author says of it, else what it does. */
export function sayFilter(filter: FilterDefinition): string {
  const { description, kind, singular, fixed, delimiter, default: preset } = filter
  const needsNoValue = kind === 'null' || kind === 'has' || fixed !== undefined
  const isSplit = (kind === 'in' || kind === 'idIn') && delimiter !== ','
  return [
    description ?? sayCondition(filter),
    ...(needsNoValue ? ['Its presence is enough, whatever its value.'] : []),
    ...(isSplit ? [`Values are separated by \`${delimiter}\`.`] : []),
    ...(singular ? ['The answer is then one resource, or null.'] : []),
    ...(preset === undefined ? [] : ['An empty value lifts the default.']),
  ].join(' ')
}

function sayCondition(filter: FilterDefinition): string {
  const { kind, negated, children, properties } = filter
  const target = `\`${filter.target}\``
  switch (kind) {
    case 'where':
    case 'through':
      return `${target} ${comparisons[operatorOf(filter)]} the value.`
    case 'in':
      return `${target} is ${negated ? 'none' : 'one'} of the values.`
    case 'idIn':
      return `The id${filter.target === 'id' ? '' : ` of ${target}`} is ${negated ? 'none' : 'one'} of the values.`
    case 'null':
      return `${target} has ${negated ? 'a' : 'no'} value.`
    case 'has':
      return `There is ${negated ? 'nothing' : 'something'} in ${target}.`
    case 'range':
    case 'dateRange':
      return `${target} lies between \`min\` and \`max\`, both included; one that is left out is open.`
    case 'all':
    case 'any':
      return `${kind === 'all' ? 'All' : 'At least one'} of: ${children.map(sayCondition).join(' ')}`
    case 'hasMatching':
      return `Something in ${target} matches.`
    default:
      return properties.length > 0
        ? `Looks for the value in ${properties.map((property) => `\`${property}\``).join(', ')}.`
        : 'A filter of its own.'
  }
}
