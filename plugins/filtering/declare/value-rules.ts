import { version as uuidVersion, validate } from 'uuid'
import { type Phrase, phrase, shortenEchoes, verbatim } from '#kernel/errors'
import type { ValueRule } from './definition.ts'

export const numericRule: ValueRule = {
  test: (text) => /^-?[0-9]+(\.[0-9]+)?$/.test(text),
  message: phrase('a number'),
  schema: { type: 'number' },
}
export const integerRule: ValueRule = {
  test: (text) => /^-?[0-9]+$/.test(text),
  message: phrase('a whole number'),
  schema: { type: 'integer' },
}
export const booleanRule: ValueRule = {
  test: (text) => readBoolean(text) !== undefined,
  message: phrase('true or false'),
  schema: { type: 'boolean' },
}

export function uuidRule(version?: number): ValueRule {
  return {
    test: (text) => validate(text) && (version === undefined || uuidVersion(text) === version),
    message: version === undefined ? phrase('a UUID') : phrase('a UUID of version {version}', { version }),
    schema: { type: 'string', format: 'uuid' },
  }
}

export function patternRule(pattern: string | RegExp): ValueRule {
  const source = typeof pattern === 'string' ? pattern : pattern.source
  const whole = new RegExp(`^(?:${source})$`, typeof pattern === 'string' ? '' : pattern.flags.replace(/[gy]/g, ''))
  return {
    test: (text) => whole.test(text),
    message: phrase('like {pattern}', { pattern: verbatim(source) }),
    schema: { type: 'string', ...(whole.flags === '' && { pattern: whole.source }) },
  }
}

/** Accepts one of the listed values. */
export function valuesRule(values: readonly (string | number)[]): ValueRule {
  const type = typeof values[0] === 'number' ? 'number' : 'string'
  return {
    test: (text) => values.includes(type === 'string' || text.trim() === '' ? text : Number(text)),
    message: phrase('one of {values}', { values: values.map(String) }),
    schema: { type, enum: [...values] },
  }
}

const trueTexts = new Set(['true', '1', 'on', 'yes'])
const falseTexts = new Set(['false', '0', 'off', 'no', ''])

/** Returns undefined if the text is not a boolean. */
export function readBoolean(text: string): boolean | undefined {
  const normalized = text.trim().toLowerCase()
  return trueTexts.has(normalized) ? true : falseTexts.has(normalized) ? false : undefined
}

/** Returns the reasons why a text violates a rule. */
export function findViolations(rule: ValueRule, text: string): readonly Phrase[] {
  if ('test' in rule) return rule.test(text) ? [] : [phrase('must be {what}', { what: rule.message })]
  const { error } = rule.validate(text, { abortEarly: false, errors: { label: false } })
  return (error?.details ?? []).map(({ message }) =>
    phrase('is not allowed: {message}', { message: verbatim(shortenEchoes(message, [text])) }),
  )
}
