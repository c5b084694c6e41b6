import { acceptedForms, phrase } from '#kernel/errors'
import type { PropertyShape } from '#kernel/plugin'
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
  textMatch,
} from '#kernel/queries'
import type { FilterDefinition, Operator } from '../declare/definition.ts'
import { findOperator } from '../targets.ts'
import { dateSpellings } from './iso-dates.ts'
import { castTo, type Reject, readList, satisfiesRules, toColumnValue, valueFault } from './values.ts'

// Conditions on one property. Each function returns undefined if it rejected the value.

export type PropertyCondition = (
  filter: FilterDefinition,
  value: ParamValue,
  property: PropertyShape,
  reject: Reject,
) => Condition | undefined

const textMatches = { like: 'contains', starts: 'starts', ends: 'ends' } as const satisfies Partial<
  Record<Operator, string>
>

/** Compares with one value. Text operators match no row for a list or a map; other operators reject it. */
export const comparison: PropertyCondition = (filter, value, property, reject) => {
  const operator = findOperator(filter)
  if (typeof value !== 'string') return operator in textMatches ? never : reject(phrase('must be a single value'))
  if (!satisfiesRules(value, filter, reject)) return undefined
  if (operator in textMatches) return textMatch(property.name, textMatches[operator as 'like'], value)
  const expected = toColumnValue(value, filter, property, reject)
  return expected === undefined ? undefined : compareNullable(property.name, operator as Comparison, expected)
}

/** Treats `!=` as the negation of `=`, so that it also matches NULL. */
function compareNullable(property: string, operator: Comparison, value: unknown): Condition {
  if (operator === '!=') return not(compareNullable(property, '=', value))
  if (value !== null) return compare(property, operator, value)
  return operator === '=' ? isNull(property) : never
}

/** Matches rows whose value is one of a list. */
export const membership: PropertyCondition = (filter, value, property, reject) => {
  const values = readList(value, filter, reject)?.map((text) =>
    satisfiesRules(text, filter, reject) ? toColumnValue(text, filter, property, reject) : undefined,
  )
  if (!values || values.includes(undefined)) return undefined
  const isMember = isIn(
    property.name,
    values.filter((member) => member !== null),
  )
  return values.includes(null) ? any(isMember, isNull(property.name)) : isMember
}

const bounds = { min: '>=', max: '<=' } as const

/** Matches rows between inclusive bounds. An absent or blank bound is open. */
export const between: PropertyCondition = (filter, value, property, reject) => {
  if (!isMap(value)) return reject(phrase('must be a range: filter[{key}][min]=… or [max]=…', { key: filter.key }))
  const convert = filter.kind === 'dateRange' ? toDateValue : toColumnValue
  const conditions = Object.entries(value).map(([bound, text]) => {
    if (!Object.hasOwn(bounds, bound)) return reject(phrase("has no bound '{bound}', only min and max", { bound }))
    const rejectBound: Reject = (reason) => reject(reason, bound)
    if (typeof text !== 'string') return rejectBound(phrase('must be a single value'))
    if (text.trim() === '') return all()
    if (!satisfiesRules(text, filter, rejectBound)) return undefined
    const limit = convert(text, filter, property, rejectBound)
    return limit === undefined ? undefined : compareNullable(property.name, bounds[bound as 'min'], limit)
  })
  return conditions.every((condition) => condition !== undefined) ? all(...conditions) : undefined
}

function toDateValue(text: string, filter: FilterDefinition, property: PropertyShape, reject: Reject): unknown {
  if (filter.deserialize) return toColumnValue(text, filter, property, reject)
  const [value] = dateSpellings(text).flatMap((spelling) => castTo(property, spelling) ?? [])
  return value ?? reject(valueFault(text, acceptedForms.dateOrTime))
}
