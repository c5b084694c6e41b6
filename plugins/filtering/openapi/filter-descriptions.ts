import type { FilterDefinition, Operator } from '../declare/definition.ts'
import { findOperator } from '../targets.ts'

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

/** Returns the OpenAPI description of a filter: that of the declaration, else one derived from the condition. */
export function describeFilter(filter: FilterDefinition): string {
  const { description, kind, singular, fixed, delimiter, default: defaultValue } = filter
  const ignoresValue = kind === 'null' || kind === 'has' || fixed !== undefined
  const isSplit = (kind === 'in' || kind === 'idIn') && delimiter !== ','
  return [
    description ?? describeCondition(filter),
    ...(ignoresValue ? ['Applies if sent with any value.'] : []),
    ...(isSplit ? [`Values are separated by \`${delimiter}\`.`] : []),
    ...(singular ? ['Returns one resource or null.'] : []),
    ...(defaultValue === undefined ? [] : ['An empty value disables the default.']),
  ].join(' ')
}

function describeCondition(filter: FilterDefinition): string {
  const { kind, negated, children, properties } = filter
  const target = `\`${filter.target}\``
  switch (kind) {
    case 'where':
    case 'through':
      return `${target} ${comparisons[findOperator(filter)]} the value.`
    case 'in':
      return `${target} is ${negated ? 'none' : 'one'} of the values.`
    case 'idIn':
      return `The id${filter.target === 'id' ? '' : ` of ${target}`} is ${negated ? 'none' : 'one'} of the values.`
    case 'null':
      return `${target} has ${negated ? 'a' : 'no'} value.`
    case 'has':
      return `${target} has ${negated ? 'no members' : 'at least one member'}.`
    case 'range':
    case 'dateRange':
      return `${target} is between \`min\` and \`max\`, both inclusive and optional.`
    case 'all':
    case 'any':
      return `${kind === 'all' ? 'All' : 'At least one'} of: ${children.map(describeCondition).join(' ')}`
    case 'hasMatching':
      return `${target} has a member that matches the value.`
    default:
      return properties.length > 0
        ? `Searches ${properties.map((property) => `\`${property}\``).join(', ')}.`
        : 'A filter of the application.'
  }
}
