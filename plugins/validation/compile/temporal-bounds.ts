import { phrase } from '#kernel/errors'
import { type Attribute, codecOf } from '#kernel/plugin'
import type { Bound, Rules } from '../rules.ts'
import type { ValueFault } from './joi-schemas.ts'

/** Checks a value of the right kind against `before`, `after` and `between`. Returns null if there is no bound. */
export function compileBounds(
  { before, after, between }: Rules,
  attribute: Attribute,
): ((value: unknown) => readonly ValueFault[]) | null {
  if (before === undefined && after === undefined && !between) return null
  const { fromWire } = codecOf(attribute)
  return (value) => {
    const faults: ValueFault[] = []
    const actual = comparable(fromWire(value)) as string | number
    const check = (bound: Bound, template: string, accepts: (limit: string | number) => boolean) => {
      const limit = toLimit(bound, attribute)
      if (limit === undefined || accepts(comparable(limit) as string | number)) return
      faults.push({ path: [], message: phrase(template, { name: attribute.name, limit: limitText(limit) }) })
    }
    if (before !== undefined) check(before, "'{name}' must be before {limit}.", (limit) => actual < limit)
    if (after !== undefined) check(after, "'{name}' must be after {limit}.", (limit) => actual > limit)
    if (between) {
      check(between[0], "'{name}' must not be before {limit}.", (limit) => actual >= limit)
      check(between[1], "'{name}' must not be after {limit}.", (limit) => actual <= limit)
    }
    return faults
  }
}

/** Returns the value of a bound; undefined if it is not of the attribute's kind. */
export function toLimit(bound: Bound, attribute: Attribute): unknown {
  const value = typeof bound === 'function' ? bound() : bound
  return codecOf(attribute).fromWire(value instanceof Date ? toWireForm(value, attribute) : value)
}

/** Converts dates to numbers, so that two values of one kind can be compared. */
export function comparable(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value
}

function toWireForm(value: Date, { kind }: Attribute): string {
  const text = value.toISOString()
  if (kind === 'date') return text.slice(0, 10)
  return kind === 'time' ? text.slice(11, 19) : text
}

function limitText(limit: unknown): string {
  return limit instanceof Date ? limit.toISOString() : String(limit)
}
