import type Joi from 'joi'
import { acceptedNames, type ErrorContext, type Phrase, phrase, shortenEchoes } from '#kernel/errors'
import { hasMoreParts } from '#kernel/plugin'
import type { Rules } from '../rules.ts'
import type { ValueFamily } from './value-family.ts'

/** One fault of a value: the path inside the value, and a sentence about it. */
export interface ValueFault {
  readonly path: readonly (string | number)[]
  readonly message: Phrase
  /** The check stopped at this fault; there may be more. */
  readonly isLast?: boolean
}

export const rulesOfFamily: Readonly<Record<ValueFamily, readonly (keyof Rules)[]>> = {
  text: ['minLength', 'maxLength', 'patterns', 'format', 'in', 'notIn'],
  number: ['min', 'max', 'exclusiveMin', 'exclusiveMax', 'multipleOf', 'in', 'notIn'],
  list: ['minItems', 'maxItems', 'uniqueItems'],
  hash: ['minProperties', 'maxProperties'],
  other: [],
}

const options: Joi.ValidationOptions = {
  convert: false,
  errors: { label: 'key', wrap: { label: "'" } },
}

/** All faults of a value with up to this many parts are collected; of a larger value only the first. */
export const maxParts = 1000

/** Returns the faults of a value. A missing member is a fault of its parent. */
export function faultsBySchema(schema: Joi.Schema, value: unknown): ValueFault[] {
  const abortEarly = hasMoreParts(value, maxParts)
  const { error } = schema.validate(value, { ...options, abortEarly })
  return (error?.details ?? []).map((detail) => ({
    path: detail.type === 'any.required' ? detail.path.slice(0, -1) : detail.path,
    message: toMessage(detail),
    ...(abortEarly && { isLast: true }),
  }))
}

function toMessage({ type, message, context = {} }: Joi.ValidationErrorItem): Phrase {
  if (type === 'any.only') return listedValueFault(String(context.label), context.valids, context.value)
  return phrase(`${shortenEchoes(message, [context.label, context.value])}.`, readPlaceholders(context), type)
}

/** Lists the accepted values, and suggests one if a text differs from it by a typo. */
export function listedValueFault(name: string, values: readonly unknown[], sent: unknown): Phrase {
  return phrase("'{name}' must be one of {accepted}", { name, accepted: acceptedValues(values, sent) })
}

export function listedItemFault(name: string, values: readonly unknown[], sent: unknown): Phrase {
  return phrase("Each item of '{name}' must be one of {accepted}", { name, accepted: acceptedValues(values, sent) })
}

function acceptedValues(values: readonly unknown[], sent: unknown): Phrase {
  return acceptedNames(values.map(String), ...(typeof sent === 'string' ? [sent] : []))
}

export function matchesSchema(schema: Joi.Schema, value: unknown): boolean {
  return schema.validate(value, { ...options, abortEarly: true }).error === undefined
}

/** Leaves out the checked value: it may be large, and no translated message repeats it. */
function readPlaceholders(context: object): ErrorContext {
  const words = Object.entries(context).filter(([name]) => name !== 'value' && name !== 'dupeValue')
  return Object.fromEntries(words.map(([name, word]) => [name, Array.isArray(word) ? word.map(String) : String(word)]))
}
