import { isMap, type ParamValue, type Phrase, type PropertyShape, phrase } from '#kernel/plugin'
import type { FilterDefinition, PresetValue } from '../declare/definition.ts'
import { readBoolean, violationsOf } from '../declare/value-rules.ts'

/** Tells why a value is refused; each telling is an error of its own. */
export type Refuse = (reason: Phrase) => void

/** A preset as if it had been sent. */
export function toSent(preset: PresetValue): ParamValue {
  if (Array.isArray(preset)) return preset.map(String)
  return typeof preset === 'object' ? (preset as Readonly<Record<string, string>>) : String(preset)
}

/** All texts of a value, however it was sent. */
export function textsOf(value: ParamValue): readonly string[] {
  if (typeof value === 'string') return [value]
  return isMap(value) ? Object.values(value).flatMap(textsOf) : value
}

/** How many values a filter would have to look at. */
export function countValues(filter: FilterDefinition, value: ParamValue): number {
  const { kind, children } = filter
  if (typeof value !== 'string') return textsOf(value).length
  if (kind === 'in' || kind === 'idIn') return entriesOf(value, filter).length
  return Math.max(1, ...children.map((child) => countValues(child, value)))
}

/** The members of a list: `[]` as sent, or a text split at the delimiter, without blanks. */
export function listOf(value: ParamValue, filter: FilterDefinition, refuse: Refuse): readonly string[] | null {
  if (isMap(value)) return refuse(phrase('must be a list')) ?? null
  return typeof value === 'string' ? entriesOf(value, filter) : value
}

function entriesOf(text: string, { delimiter }: FilterDefinition): readonly string[] {
  const entries = text.split(delimiter).map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

/** Whether a text keeps the rules of its filter. */
export function keepsRules(text: string, { rules }: FilterDefinition, refuse: Refuse): boolean {
  const violations = rules.flatMap((rule) => violationsOf(rule, text))
  for (const violation of violations) refuse(violation)
  return violations.length === 0
}

/** The value to compare a column with; undefined when it was refused. Null is a value an author may make. */
export function stored(
  text: string,
  filter: FilterDefinition,
  column: Pick<PropertyShape, 'parse'>,
  refuse: Refuse,
): unknown {
  const value = deserialize(text, filter)
  const cast = value === null ? null : castTo(column, value)
  if (cast === undefined) refuse(phrase("cannot be '{text}'", { text }))
  return cast
}

function deserialize(text: string, { asBoolean, deserialize }: FilterDefinition): unknown {
  if (!deserialize) return asBoolean ? readBoolean(text) : text
  try {
    return deserialize(text)
  } catch {
    return undefined
  }
}

/** Every value takes the road of a text, so that none reaches a column that cannot hold it. */
export function castTo({ parse }: Pick<PropertyShape, 'parse'>, value: unknown): unknown {
  if (typeof value === 'string') return waysToWrite(value).flatMap((text) => parse(text) ?? [])[0]
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : parse(value.toISOString())
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? parse(String(value)) : undefined
}

/** The text, and numbers and booleans as a column reads them: without leading zeros, as true or false. */
function waysToWrite(text: string): readonly string[] {
  const word = text.trim() === '' ? undefined : readBoolean(text)
  return [
    text,
    ...(/^-?\d{2,}$/.test(text) ? [String(BigInt(text))] : []),
    ...(word === undefined ? [] : [String(word)]),
  ]
}

/** Text PostgreSQL can take at all. */
export function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
