import Joi from 'joi'
import {
  type Attribute,
  type AttributeKind,
  codecOf,
  type ErrorContext,
  hasMoreParts,
  type Phrase,
  type PropertyShape,
  phrase,
  shortenEchoes,
} from '#kernel/plugin'
import type { Rules } from '../rules.ts'
import { formatOf, withFormat } from './formats.ts'
import { unique } from './unique-items.ts'

/** What is wrong with a value: where inside it, and a sentence about it. */
export interface Flaw {
  readonly path: readonly (string | number)[]
  readonly message: Phrase
  /** The check ended here, and there may be more flaws. */
  readonly isLast?: boolean
}

/** Kinds that are limited by the same words. */
export type Family = 'text' | 'number' | 'list' | 'hash' | 'other'

const families: Partial<Record<AttributeKind, Family>> = {
  string: 'text',
  email: 'text',
  url: 'text',
  uuid: 'text',
  slug: 'text',
  ip: 'text',
  dateTime: 'text',
  date: 'text',
  time: 'text',
  integer: 'number',
  decimal: 'number',
  arrayList: 'list',
  arrayHash: 'hash',
}

export function familyOf({ kind }: Attribute): Family {
  return families[kind] ?? 'other'
}

/** The JSON type of a kind; nothing is coerced, and what the kernel could not store is not valid. */
export function kindSchema(attribute: Attribute): Joi.Schema {
  switch (attribute.kind) {
    case 'integer':
      return Joi.number().integer()
    case 'decimal':
      return Joi.number()
    case 'boolean':
      return Joi.boolean()
    case 'map':
    case 'obj':
    case 'oneOf':
      return Joi.object()
    case 'arrayHash':
      return Joi.object().custom(ofKind(attribute))
    case 'arrayList':
      return Joi.array().custom(ofKind(attribute))
    default:
      return Joi.string().min(0).custom(ofKind(attribute))
  }
}

/** What the column can hold, whatever the words say. */
export function columnSchema(attribute: Attribute, column: PropertyShape | undefined): Joi.Schema | null {
  const { maxLength, range, holdsItem } = column ?? {}
  switch (familyOf(attribute)) {
    case 'text':
      return maxLength === undefined ? null : Joi.string().min(0).max(maxLength)
    case 'number':
      return range ? Joi.number().min(range[0]).max(range[1]) : null
    case 'list':
      return holdsItem ? Joi.array().custom(ofItems(holdsItem)) : null
    default:
      return null
  }
}

/** The rules that look at nothing but the value. */
export function ruleSchema(family: Family, rules: Rules, kind: AttributeKind | null): Joi.Schema {
  switch (family) {
    case 'text':
      return listed(textSchema(rules, kind), rules)
    case 'number':
      return listed(numberSchema(rules), rules)
    case 'list': {
      const { minItems = 0, maxItems, uniqueItems } = rules
      const list = Joi.array().min(minItems)
      const limited = maxItems === undefined ? list : list.max(maxItems)
      return uniqueItems ? unique(limited) : limited
    }
    case 'hash': {
      const { minProperties = 0, maxProperties } = rules
      const hash = Joi.object().min(minProperties)
      return maxProperties === undefined ? hash : hash.max(maxProperties)
    }
    default:
      return Joi.any()
  }
}

/** Up to this many parts of a value, all flaws are collected; of a larger value only the first flaw is. */
const maxParts = 1000

/** Converts nothing, collects all flaws; a missing member is a flaw of its parent. */
export function flawsIn(schema: Joi.Schema, value: unknown): Flaw[] {
  const abortEarly = hasMoreParts(value, maxParts)
  const { error } = schema.validate(value, { ...options, abortEarly })
  return (error?.details ?? []).map(({ path, type, message, context = {} }) => ({
    path: type === 'any.required' ? path.slice(0, -1) : path,
    message: phrase(`${shortenEchoes(message, [context.label, context.value])}.`, wordsOf(context), type),
    ...(abortEarly && { isLast: true }),
  }))
}

/** Whether a schema finds no flaw. */
export function accepts(schema: Joi.Schema, value: unknown): boolean {
  return schema.validate(value, { ...options, abortEarly: true }).error === undefined
}

/** The values of a message's placeholders. The checked value itself may be large, and no message repeats it. */
function wordsOf(context: object): ErrorContext {
  const words = Object.entries(context).filter(([name]) => name !== 'value' && name !== 'dupeValue')
  return Object.fromEntries(words.map(([name, word]) => [name, Array.isArray(word) ? word.map(String) : String(word)]))
}

const options: Joi.ValidationOptions = {
  convert: false,
  errors: { label: 'key', wrap: { label: "'" } },
}

function textSchema({ minLength = 0, maxLength, patterns = [], format }: Rules, kind: AttributeKind | null) {
  let text = Joi.string().min(minLength)
  if (maxLength !== undefined) text = text.max(maxLength)
  for (const pattern of patterns) text = text.pattern(pattern)
  const form = format ?? (kind ? formatOf(kind) : undefined)
  return form ? withFormat(text, form) : text
}

function numberSchema({ min, max, exclusiveMin, exclusiveMax, multipleOf }: Rules): Joi.NumberSchema {
  let number = Joi.number()
  if (min !== undefined) number = number.min(min)
  if (max !== undefined) number = number.max(max)
  if (exclusiveMin !== undefined) number = number.greater(exclusiveMin)
  if (exclusiveMax !== undefined) number = number.less(exclusiveMax)
  return multipleOf === undefined ? number : number.multiple(multipleOf)
}

function listed(schema: Joi.Schema, rules: Rules): Joi.Schema {
  const allowed = rules.in ? schema.valid(...rules.in) : schema
  return rules.notIn ? allowed.invalid(...rules.notIn) : allowed
}

function ofKind(attribute: Attribute): Joi.CustomValidator {
  return (value, { error }) => (codecOf(attribute).fromWire(value) === undefined ? error('any.invalid') : value)
}

/** No item of a list is changed on its way into the column. */
function ofItems(holds: (item: unknown) => boolean): Joi.CustomValidator {
  return (items: unknown[], { error }) => (items.every(holds) ? items : error('any.invalid'))
}
