import Joi from 'joi'
import { type ErrorContext, phrase, shortenEchoes } from '#kernel/errors'
import { type AttributeKind, hasMoreParts } from '#kernel/plugin'
import type { Rules } from '../rules.ts'
import { findFormat, withFormat } from './formats.ts'
import { faultsBySchema, listedValueFault, maxParts, rulesOfFamily, type ValueFault } from './joi-schemas.ts'
import { brokenLength } from './text-length.ts'
import { uniqueItems } from './unique-items.ts'
import type { ValueFamily } from './value-family.ts'

// The rules that need nothing but the value. Limits and listed values are compared here, other rules by Joi.

export interface RuleTarget {
  readonly label: string
  readonly family: ValueFamily
  /** The kind whose default format applies; null in nested rule sets, which add to it. */
  readonly kind: AttributeKind | null
  /** Items of a list have no kind that is checked first, so their rules check the JSON type. */
  readonly isItem?: boolean
  /** A nested rule set without rules of the value checks nothing, not even the JSON type. */
  readonly isNested?: boolean
}

/** Returns the faults of a value of the right kind. */
type CheckValue = (value: unknown) => readonly ValueFault[]

export const noFaults: readonly ValueFault[] = []

/** Returns null if a value of the right kind cannot break a rule of the set. */
export function compileValueRules(rules: Rules, target: RuleTarget): CheckValue | null {
  if (target.isNested && rulesOfFamily[target.family].every((rule) => rules[rule] === undefined)) return null
  switch (target.family) {
    case 'text':
      return withListedValues(compileText(rules, target), rules, target)
    case 'number':
      return withListedValues(compileNumber(rules, target), rules, target)
    case 'list':
      return compileList(rules, target)
    case 'hash':
      return compileHash(rules, target)
    default:
      return null
  }
}

/** A listed value breaks no other rule. */
function withListedValues(check: CheckValue | null, rules: Rules, { label }: RuleTarget): CheckValue | null {
  const { notIn = [] } = rules
  if (!rules.in && notIn.length === 0) return check
  const allowed = rules.in && [...new Set<unknown>(rules.in)].filter((value) => !notIn.includes(value as never))
  const refused = createFault('any.invalid', 'contains an invalid value', label, { invalids: notIn.map(String) })
  return (value) => {
    if (allowed?.includes(value)) return noFaults
    const faults: ValueFault[] = []
    if (allowed) faults.push({ path: [], message: listedValueFault(label, allowed, value) })
    if (notIn.includes(value as never)) faults.push(refused)
    return check ? faults.concat(check(value)) : faults
  }
}

function compileText(rules: Rules, { label, kind, isItem = false }: RuleTarget): CheckValue | null {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, patterns = [] } = rules
  const format = rules.format ?? (kind ? findFormat(kind) : undefined)
  const hasLimit = minLength > 0 || maxLength < Number.POSITIVE_INFINITY
  const schema = patterns.length > 0 || format ? formSchema(patterns, format).label(label) : null
  if (!hasLimit && !schema && !isItem) return null
  const noText = [createFault('string.base', 'must be a string', label)]
  const empty = [createFault('string.empty', 'is not allowed to be empty', label)]
  const broken = {
    'string.min': [limitFault('string.min', `length must be at least ${minLength} characters long`, label, minLength)],
    'string.max': [
      limitFault('string.max', `length must be less than or equal to ${maxLength} characters long`, label, maxLength),
    ],
  }
  return (value) => {
    if (typeof value !== 'string') return noText
    if (value === '' && minLength > 0) return empty
    const limit = hasLimit ? brokenLength(value, minLength, maxLength) : null
    if (!schema) return limit ? broken[limit] : noFaults
    const others = faultsBySchema(schema, value)
    return limit ? [...broken[limit], ...others] : others
  }
}

function formSchema(patterns: readonly RegExp[], format: Rules['format']): Joi.StringSchema {
  let text = Joi.string().min(0) // without min(0), Joi rejects an empty text
  for (const pattern of patterns) text = text.pattern(pattern)
  return format ? withFormat(text, format) : text
}

function compileNumber(rules: Rules, { label, isItem = false }: RuleTarget): CheckValue | null {
  const { min, max, exclusiveMin, exclusiveMax, multipleOf } = rules
  const base = isItem ? Joi.number().label(label) : null
  const multiple = multipleOf === undefined ? null : Joi.number().multiple(multipleOf).label(label)
  const limits = [min, max, exclusiveMin, exclusiveMax]
  if (!base && !multiple && limits.every((limit) => limit === undefined)) return null
  const [lowest = -Infinity, highest = Infinity, above = -Infinity, below = Infinity] = limits
  const tooLow = limitFault('number.min', `must be greater than or equal to ${lowest}`, label, lowest)
  const tooHigh = limitFault('number.max', `must be less than or equal to ${highest}`, label, highest)
  const notAbove = limitFault('number.greater', `must be greater than ${above}`, label, above)
  const notBelow = limitFault('number.less', `must be less than ${below}`, label, below)
  return (value) => {
    const baseFaults = base ? faultsBySchema(base, value) : noFaults
    if (baseFaults.length > 0) return baseFaults
    const number = value as number
    const faults: ValueFault[] = []
    if (number < lowest) faults.push(tooLow)
    if (number > highest) faults.push(tooHigh)
    if (number <= above) faults.push(notAbove)
    if (number >= below) faults.push(notBelow)
    return multiple ? faults.concat(faultsBySchema(multiple, value)) : faults
  }
}

function compileList(rules: Rules, { label }: RuleTarget): CheckValue | null {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = rules
  const unique = rules.uniqueItems ? uniqueItems(Joi.array()).label(label) : null
  if (minItems === 0 && maxItems === Number.POSITIVE_INFINITY && !unique) return null
  const few = limitFault('array.min', `must contain at least ${minItems} items`, label, minItems)
  const many = limitFault('array.max', `must contain less than or equal to ${maxItems} items`, label, maxItems)
  return (value) => {
    const { length } = value as unknown[]
    if (length >= minItems && length <= maxItems) return unique ? faultsBySchema(unique, value) : noFaults
    const faults = sizeFaults(length < minItems && few, length > maxItems && many, value)
    return unique && !faults[0]?.isLast ? [...faults, ...faultsBySchema(unique, value)] : faults
  }
}

function compileHash(rules: Rules, { label }: RuleTarget): CheckValue | null {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = rules
  if (minProperties === 0 && maxProperties === Number.POSITIVE_INFINITY) return null
  const few = limitFault('object.min', `must have at least ${keys(minProperties)}`, label, minProperties)
  const many = limitFault('object.max', `must have less than or equal to ${keys(maxProperties)}`, label, maxProperties)
  return (value) => {
    const { length } = Object.keys(value as object)
    if (length >= minProperties && length <= maxProperties) return noFaults
    return sizeFaults(length < minProperties && few, length > maxProperties && many, value)
  }
}

function keys(count: number): string {
  return count === 1 ? '1 key' : `${count} keys`
}

/** All faults of the size of a value, but only the first of a large value. */
function sizeFaults(few: ValueFault | false, many: ValueFault | false, value: unknown): readonly ValueFault[] {
  const faults = [few, many].filter((fault) => fault !== false)
  return hasMoreParts(value, maxParts) ? faults.slice(0, 1).map((fault) => ({ ...fault, isLast: true })) : faults
}

function limitFault(type: string, words: string, label: string, limit: number): ValueFault {
  return createFault(type, words, label, { limit: String(limit) })
}

/** A fault with the words, the placeholders and the key that Joi has for the type. */
function createFault(type: string, words: string, label: string, values: ErrorContext = {}): ValueFault {
  const message = shortenEchoes(`'${label}' ${words}`, [label])
  return { path: [], message: phrase(`${message}.`, { ...values, label }, type) }
}
