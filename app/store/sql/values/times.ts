import { formatInfinity, parseInfinity } from '#kernel/store'

/** Parses `2026-01-02 01:04:05.123456+00`, the form of both drivers in a UTC session; without `+00` it has no zone. */
export function toDate(text: unknown): Date {
  const value = text as string
  if (value[10] !== ' ' || value.endsWith('C')) return parseUnusualTime(value) ?? new Date(value)
  const zone = value.endsWith('+00') ? -3 : value.length
  return new Date(`${value.slice(0, 10)}T${value.slice(11, zone)}Z`)
}

/**
 * Parses infinities, and years B.C. and after 9999. A year that a Date cannot have becomes `infinity`. Undefined for other
 * times, which MikroORM parses too. It appends a `Z` to a time without a zone.
 */
export function parseUnusualTime(text: string): Date | undefined {
  const infinity = parseInfinity(text.replace(/Z$/, ''))
  if (infinity) return infinity
  const [, year, time, era] = /^(\d{4,6})-(\d\d-\d\d \S+?)(?:\+00)?( BC)?Z?$/.exec(text) ?? []
  if (year === undefined || (year.length === 4 && !era)) return undefined
  const sign = era && year !== '0001' ? '-' : '+'
  const digits = String(era ? Number(year) - 1 : year).padStart(6, '0')
  const date = new Date(`${sign}${digits}-${time?.replace(' ', 'T')}Z`)
  return Number.isNaN(date.getTime()) ? parseInfinity('infinity') : date
}

/** Encodes a time for the database, which has another form of years B.C. and after 9999 than ISO 8601. */
export function encodeTime(date: Date): string {
  const year = date.getUTCFullYear()
  if (year >= 1 && year <= 9999) return date.toISOString()
  const infinity = formatInfinity(date)
  if (infinity) return infinity
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return `${digits}${date.toISOString().slice(7)}${year > 0 ? '' : ' BC'}`
}
