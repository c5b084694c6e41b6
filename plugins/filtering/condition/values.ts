import { type Phrase, phrase } from '#kernel/errors'
import type { PropertyShape } from '#kernel/plugin'
import { isMap, type ParamValue } from '#kernel/queries'
import type { FilterDefinition, PresetValue } from '../declare/definition.ts'
import { findViolations, readBoolean } from '../declare/value-rules.ts'

/** Rejects a value, or one bound of a range; each call adds an error with the reason. */
export type Reject = (reason: Phrase, bound?: string) => undefined

/** Returns the key for an error detail: `price`, or `price[min]` for a bound. */
export function keyWithBound(key: string, bound: string | undefined): string {
  return bound === undefined ? key : `${key}[${bound}]`
}

/** Converts a declared value to the form of a sent one. */
export function toParamValue(preset: PresetValue): ParamValue {
  if (Array.isArray(preset)) return preset.map(String)
  return typeof preset === 'object' ? (preset as Readonly<Record<string, string>>) : String(preset)
}

/** Returns all texts of a value: a text, a list or a map. */
export function toTexts(value: ParamValue): readonly string[] {
  if (typeof value === 'string') return [value]
  return isMap(value) ? Object.values(value).flatMap(toTexts) : value
}

/** Returns the number of values a filter compares, for the limit of filter values. */
export function countValues(filter: FilterDefinition, value: ParamValue): number {
  const { kind, children } = filter
  if (typeof value !== 'string') return toTexts(value).length
  if (kind === 'in' || kind === 'idIn') return splitValues(value, filter).length
  return Math.max(1, ...children.map((child) => countValues(child, value)))
}

/** Returns the values of a list: `filter[key][]=…`, or a text split at the delimiter. Rejects a map. */
export function readList(value: ParamValue, filter: FilterDefinition, reject: Reject): readonly string[] | undefined {
  if (isMap(value)) return reject(phrase('must be a list of values'))
  return typeof value === 'string' ? splitValues(value, filter) : value
}

function splitValues(text: string, { delimiter }: FilterDefinition): readonly string[] {
  const entries = text.split(delimiter).map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

/** Returns true if a text satisfies the rules of the filter; rejects each violation. */
export function satisfiesRules(text: string, { rules }: FilterDefinition, reject: Reject): boolean {
  const violations = rules.flatMap((rule) => findViolations(rule, text))
  for (const violation of violations) reject(violation)
  return violations.length === 0
}

/**
 * Returns the value to compare a column with; undefined if rejected. `deserializeUsing` may return null, and may accept
 * other texts than the column.
 */
export function toColumnValue(
  text: string,
  filter: FilterDefinition,
  column: Pick<PropertyShape, 'parse' | 'accepted'>,
  reject: Reject,
): unknown {
  const value = deserialize(text, filter)
  const converted = value === null ? null : castTo(column, value)
  return converted === undefined
    ? reject(valueFault(text, filter.deserialize ? undefined : column.accepted))
    : converted
}

/** The reason why a text is rejected, with what is accepted, if that is known. */
export function valueFault(text: string, accepted: Phrase | undefined): Phrase {
  if (!accepted) return phrase("cannot be '{text}'", { text })
  return phrase("cannot be '{text}'; accepted: {accepted}", { text, accepted })
}

function deserialize(text: string, { asBoolean, deserialize }: FilterDefinition): unknown {
  if (!deserialize) return asBoolean ? readBoolean(text) : text
  try {
    return deserialize(text)
  } catch {
    return undefined
  }
}

/** Converts a value by way of its text, as the column parses it. Returns undefined if the column cannot hold it. */
export function castTo({ parse }: Pick<PropertyShape, 'parse'>, value: unknown): unknown {
  if (typeof value === 'string') return listSpellings(value).flatMap((text) => parse(text) ?? [])[0]
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : parse(value.toISOString())
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? parse(String(value)) : undefined
}

/** Returns the text, and its spelling as a number without leading zeros or as true or false. */
function listSpellings(text: string): readonly string[] {
  const boolean = text.trim() === '' ? undefined : readBoolean(text)
  return [
    text,
    ...(/^-?\d{2,}$/.test(text) ? [String(BigInt(text))] : []),
    ...(boolean === undefined ? [] : [String(boolean)]),
  ]
}
