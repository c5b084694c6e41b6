import type { Bound, ComparisonName, Part, Rules } from '../rules.ts'

/** The rules a schema has no form for, in words. */
export function sayRules(rules: Rules, moment: 'create' | 'update'): string {
  const { before, after, between, compared = [], uniqueEntity, required, parts = [] } = rules
  return [
    ...(before === undefined ? [] : [`Before ${sayBound(before)}.`]),
    ...(after === undefined ? [] : [`After ${sayBound(after)}.`]),
    ...(between ? [`From ${sayBound(between[0])} to ${sayBound(between[1])}.`] : []),
    ...compared.map(({ field, comparison }) => `${comparisons[comparison]} \`${field}\`, when both are there.`),
    ...(uniqueEntity ? [`Unique: ${uniqueEntity.map((name) => `\`${name}\``).join(' with ')}.`] : []),
    ...(required === 'onUpdate' && moment === 'update' ? ['Required unless a value is stored.'] : []),
    ...parts.flatMap((part) => sayPart(part, moment)),
  ].join(' ')
}

function sayBound(bound: Bound): string {
  if (typeof bound === 'function') return 'a moment known when it is sent'
  return bound instanceof Date ? bound.toISOString() : bound
}

const comparisons: Readonly<Record<ComparisonName, string>> = {
  EqualTo: 'Equal to',
  NotEqualTo: 'Not equal to',
  GreaterThan: 'Greater than',
  GreaterThanOrEqual: 'Greater than or equal to',
  LessThan: 'Less than',
  LessThanOrEqual: 'Less than or equal to',
}

function sayPart(part: Part, moment: 'create' | 'update'): string[] {
  if (part.kind === 'moment') {
    const counts = part.moment === 'always' || part.moment === (moment === 'create' ? 'onCreate' : 'onUpdate')
    return counts ? [sayAll(part.rules, moment)] : []
  }
  if (part.kind === 'when') return [`Under a condition: ${sayAll(part.rules, moment)}`]
  const said = part.choices.map((rules) => sayAll(rules, moment))
  return part.kind === 'any' ? [`At least one of: ${said.join(' | ')}`] : said
}

const named = [
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

function sayAll(rules: Rules, moment: 'create' | 'update'): string {
  const limits = named.flatMap((name) => (rules[name] === undefined ? [] : [`${name} ${rules[name]}`]))
  const patterns = (rules.patterns ?? []).map(({ source }) => `matches \`${source}\``)
  const flags = [...(rules.required ? ['required'] : []), ...(rules.nullable ? ['may be null'] : [])]
  const listed = rules.in ? [`one of ${rules.in.join(', ')}`] : []
  const all = [...flags, ...limits, ...patterns, ...listed].join(', ')
  return [all && `${all}.`, sayRules(rules, moment)].filter(Boolean).join(' ')
}
