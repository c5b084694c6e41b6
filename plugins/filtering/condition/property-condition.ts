import {
  all,
  any,
  type Comparison,
  type Condition,
  compare,
  isIn,
  isMap,
  isNull,
  never,
  not,
  type ParamValue,
  type Phrase,
  type PropertyShape,
  phrase,
  textMatch,
} from '#kernel/plugin'
import type { FilterDefinition, Operator } from '../declare/definition.ts'
import { operatorOf } from '../targets.ts'
import { readDate } from './iso-dates.ts'
import { castTo, keepsRules, listOf, type Refuse, stored } from './values.ts'

// Conditions on one property. Undefined means that the value was refused.

const textMatches = { like: 'contains', starts: 'starts', ends: 'ends' } as const satisfies Partial<
  Record<Operator, string>
>

/** A text match of what is no text matches nothing; every other comparison refuses it. */
export function comparison(
  filter: FilterDefinition,
  value: ParamValue,
  property: PropertyShape,
  refuse: Refuse,
): Condition | undefined {
  const operator = operatorOf(filter)
  if (typeof value !== 'string')
    return operator in textMatches ? never : refused(refuse, phrase('must be a single text'))
  if (!keepsRules(value, filter, refuse)) return undefined
  if (operator in textMatches) return textMatch(property.name, textMatches[operator as 'like'], value)
  const wanted = stored(value, filter, property, refuse)
  if (wanted === undefined) return undefined
  return compared(property.name, operator as Comparison, wanted)
}

/** Unequal is the opposite of equal: it holds where there is no value. */
function compared(property: string, operator: Comparison, value: unknown): Condition {
  if (operator === '!=') return not(compared(property, '=', value))
  if (value !== null) return compare(property, operator, value)
  return operator === '=' ? isNull(property) : never
}

export function membership(
  filter: FilterDefinition,
  value: ParamValue,
  property: PropertyShape,
  refuse: Refuse,
): Condition | undefined {
  const texts = listOf(value, filter, refuse)
  const values = texts?.map((text) =>
    keepsRules(text, filter, refuse) ? stored(text, filter, property, refuse) : undefined,
  )
  if (!values || values.includes(undefined)) return undefined
  const isMember = isIn(
    property.name,
    values.filter((one) => one !== null),
  )
  return values.includes(null) ? any(isMember, isNull(property.name)) : isMember
}

const bounds = { min: '>=', max: '<=' } as const

/** Both bounds are inclusive; one that is absent or blank is open. */
export function within(
  filter: FilterDefinition,
  value: ParamValue,
  property: PropertyShape,
  refuse: Refuse,
): Condition | undefined {
  if (!isMap(value)) return refused(refuse, phrase('must have a min or a max'))
  const read = filter.kind === 'dateRange' ? storedDate : stored
  const conditions = Object.entries(value).map(([bound, text]) => {
    if (!Object.hasOwn(bounds, bound)) return refused(refuse, phrase("has no bound '{bound}'", { bound }))
    if (typeof text !== 'string') return refused(refuse, phrase('must have a single {bound}', { bound }))
    if (text.trim() === '') return all()
    if (!keepsRules(text, filter, refuse)) return undefined
    const wanted = read(text, filter, property, refuse)
    return wanted === undefined ? undefined : compared(property.name, bounds[bound as 'min'], wanted)
  })
  return conditions.every((condition) => condition !== undefined) ? all(...conditions) : undefined
}

function storedDate(text: string, filter: FilterDefinition, property: PropertyShape, refuse: Refuse): unknown {
  if (filter.deserialize) return stored(text, filter, property, refuse)
  const [value] = readDate(text).flatMap((form) => castTo(property, form) ?? [])
  return value ?? refused(refuse, phrase("cannot be '{text}'", { text }))
}

export function refused(refuse: Refuse, reason: Phrase): undefined {
  refuse(reason)
}
