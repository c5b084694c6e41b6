import { parseDate, parseInfinity } from '#kernel/store'

const time = /^(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?|24:00:00)$/
const offset = /(Z|[+-](0\d|1[0-5]):[0-5]\d)$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `2026-01-02T01:04:05.123456Z` */
export function isInstant(value: unknown): boolean {
  return typeof value === 'string' && offset.test(value) && isLocalTime(value.replace(offset, ''))
}

export function isLocalTime(value: unknown): boolean {
  if (typeof value !== 'string' || value[10] !== 'T') return false
  return isDay(value.slice(0, 10)) && isTime(value.slice(11)) && value.slice(11) !== '24:00:00'
}

export function isDay(value: unknown): boolean {
  return parseDate(value) !== undefined
}

export function isInfinity(value: unknown): boolean {
  return parseInfinity(value) !== undefined
}

const storedDay = /^(\d{4,6})(-\d\d-\d\d)( BC)?$/
const storedTime = /^(\d\S+) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)(?:\+00)?( BC)?$/

/** Whether the text is a date in the form of the database: `10000-01-02`, `0044-03-15 BC`, `infinity`. */
export function isStoredDay(value: unknown): boolean {
  if (isInfinity(value)) return true
  const [, digits, day, era] = (typeof value === 'string' && storedDay.exec(value)) || []
  const year = era ? 1 - Number(digits) : Number(digits)
  if (!(year > -4713 && year < 294_276) || digits === '0000') return false
  // The calendar repeats itself after 400 years.
  return isDay(`${2000 + (((year % 400) + 400) % 400)}${day}`)
}

/** The same with a time: `10000-01-02 01:04:05.123456+00`. */
export function isStoredTime(value: unknown): boolean {
  if (isInfinity(value)) return true
  const [, day, time, era = ''] = (typeof value === 'string' && storedTime.exec(value)) || []
  return isTime(time) && isStoredDay(`${day}${era}`)
}

export function isTime(value: unknown): boolean {
  return typeof value === 'string' && time.test(value)
}

/** Whether the text is an int8 in canonical form. */
export function isInt8(value: unknown): value is string {
  if (typeof value !== 'string' || !/^(0|-?[1-9]\d{0,18})$/.test(value)) return false
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value)
}

export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && uuid.test(value)
}
