import { type Attribute, codecOf, phrase } from '#kernel/plugin'
import type { Flaw } from '../compile/joi-schemas.ts'
import type { Bound, Rules } from '../rules.ts'

/** What bounds of time find wrong with a value of their kind. */
export function boundFlaws({ before, after, between }: Rules, value: unknown, attribute: Attribute): Flaw[] {
  if (before === undefined && after === undefined && !between) return []
  const flaws: Flaw[] = []
  const here = comparable(codecOf(attribute).fromWire(value)) as string | number
  const demand = (bound: Bound, words: string, isMet: (limit: string | number) => boolean) => {
    const limit = limitOf(bound, attribute)
    if (limit === undefined || isMet(comparable(limit) as string | number)) return
    flaws.push({ path: [], message: phrase(words, { name: attribute.name, limit: shown(limit) }) })
  }
  if (before !== undefined) demand(before, "'{name}' must be before {limit}.", (limit) => here < limit)
  if (after !== undefined) demand(after, "'{name}' must be after {limit}.", (limit) => here > limit)
  if (between) {
    demand(between[0], "'{name}' must not be before {limit}.", (limit) => here >= limit)
    demand(between[1], "'{name}' must not be after {limit}.", (limit) => here <= limit)
  }
  return flaws
}

/** The value of a bound; undefined when it is none of the field's kind. */
export function limitOf(bound: Bound, attribute: Attribute): unknown {
  const value = typeof bound === 'function' ? bound() : bound
  return codecOf(attribute).fromWire(value instanceof Date ? toKind(value, attribute) : value)
}

/** A form in which two values of one kind can be compared. */
export function comparable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value
}

function toKind(value: Date, { kind }: Attribute): string {
  const text = value.toISOString()
  if (kind === 'date') return text.slice(0, 10)
  return kind === 'time' ? text.slice(11, 19) : text
}

function shown(limit: unknown): string {
  return limit instanceof Date ? limit.toISOString() : String(limit)
}
