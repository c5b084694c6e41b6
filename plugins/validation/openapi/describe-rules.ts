import type { Bound, ComparisonName, RulePart, Rules } from '../rules.ts'

type Write = 'create' | 'update'

/** Describes in English the rules that JSON Schema cannot express. */
export function describeRules(rules: Rules, write: Write): string {
  const { before, after, between, comparisons = [], uniqueEntity, customRules, required, parts = [] } = rules
  return [
    ...(before === undefined ? [] : [`Before ${describeBound(before)}.`]),
    ...(after === undefined ? [] : [`After ${describeBound(after)}.`]),
    ...(between ? [`From ${describeBound(between[0])} to ${describeBound(between[1])}.`] : []),
    ...comparisons.map(({ field, comparison }) => `${operators[comparison]} \`${field}\`, if both have a value.`),
    ...(uniqueEntity ? [`Unique: ${uniqueEntity.map((name) => `\`${name}\``).join(' and ')}.`] : []),
    ...(customRules ? ['A rule of the application applies.'] : []),
    ...(required === 'onUpdate' && write === 'update' ? ['Required unless a value is stored.'] : []),
    ...parts.flatMap((part) => describePart(part, write)),
  ].join(' ')
}

function describeBound(bound: Bound): string {
  if (typeof bound === 'function') return 'a time computed for each request'
  return bound instanceof Date ? bound.toISOString() : bound
}

const operators: Readonly<Record<ComparisonName, string>> = {
  EqualTo: 'Equal to',
  NotEqualTo: 'Not equal to',
  GreaterThan: 'Greater than',
  GreaterThanOrEqual: 'Greater than or equal to',
  LessThan: 'Less than',
  LessThanOrEqual: 'Less than or equal to',
}

function describePart(part: RulePart, write: Write): string[] {
  const descriptions = part.ruleSets.map((rules) => describeNested(rules, write))
  switch (part.kind) {
    case 'timing':
      return part.timing === (write === 'create' ? 'onCreate' : 'onUpdate') ? descriptions : []
    case 'when':
      return [`Under a condition: ${descriptions.join(' ')}`]
    case 'any':
      return [`At least one of: ${descriptions.join(' | ')}`]
    default:
      return descriptions
  }
}

const limits = [
  'minLength',
  'maxLength',
  'min',
  'max',
  'exclusiveMin',
  'exclusiveMax',
  'multipleOf',
  'minItems',
  'maxItems',
] as const

/** Rules of a nested set are not in the JSON Schema, so all of them are described. */
function describeNested(rules: Rules, write: Write): string {
  const summary = [
    ...(rules.required ? ['required'] : []),
    ...(rules.nullable ? ['may be null'] : []),
    ...limits.flatMap((name) => (rules[name] === undefined ? [] : [`${name} ${rules[name]}`])),
    ...(rules.patterns ?? []).map(({ source }) => `matches \`${source}\``),
    ...(rules.in ? [`one of ${rules.in.join(', ')}`] : []),
  ].join(', ')
  return [summary && `${summary}.`, describeRules(rules, write)].filter(Boolean).join(' ')
}
