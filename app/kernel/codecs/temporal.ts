const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const timeOfDayPattern = /^(?:([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?|24:00:00)$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/**
 * RFC 3339 in UTC, with the milliseconds if there are any: `1997-05-21T00:00:00+00:00`, `1997-05-21T00:00:00.369+00:00`.
 * perf: takes a third of the time of `toISOString`.
 */
export function formatDateTime(value: Date): string {
  const year = value.getUTCFullYear()
  const infinity = year > 9999 || year < 1 ? formatInfinity(value) : undefined
  if (infinity) return infinity
  const milliseconds = value.getUTCMilliseconds()
  const fraction = milliseconds === 0 ? '' : `.${threeDigits(milliseconds)}`
  const day = `${year >= 1000 && year <= 9999 ? year : formatYear(value)}-${digits[value.getUTCMonth() + 1]}-${digits[value.getUTCDate()]}`
  const time = `${digits[value.getUTCHours()]}:${digits[value.getUTCMinutes()]}:${digits[value.getUTCSeconds()]}`
  return `${day}T${time}${fraction}+00:00`
}

/** The last moment of a Date. It and its opposite are the values of `infinity` and `-infinity`, which a database may store. */
const lastTime = 8_640_000_000_000_000

/** Undefined if the value is not the text `infinity` or `-infinity`. */
export function parseInfinity(value: unknown): Date | undefined {
  if (value === 'infinity') return new Date(lastTime)
  return value === '-infinity' ? new Date(-lastTime) : undefined
}

/** Undefined if the value is a moment. */
export function formatInfinity(value: Date): string | undefined {
  const time = value.getTime()
  if (time === lastTime) return 'infinity'
  return time === -lastTime ? '-infinity' : undefined
}

type WritePart = (value: Date) => string

const parts: Readonly<Record<string, WritePart>> = {
  YYYY: formatYear,
  MM: (value) => digits[value.getUTCMonth() + 1] as string,
  DD: (value) => digits[value.getUTCDate()] as string,
  HH: (value) => digits[value.getUTCHours()] as string,
  mm: (value) => digits[value.getUTCMinutes()] as string,
  ss: (value) => digits[value.getUTCSeconds()] as string,
  SSS: (value) => threeDigits(value.getUTCMilliseconds()),
}

/** Compiles a format: `YYYY`, `MM`, `DD`, `HH`, `mm`, `ss` and `SSS` are replaced by the parts of the time in UTC. */
export function formatAs(format: string): WritePart {
  const writers = format.split(/(YYYY|MM|DD|HH|mm|SSS|ss)/).map((text): WritePart => parts[text] ?? (() => text))
  return (value) => {
    const infinity = formatInfinity(value)
    if (infinity) return infinity
    let text = ''
    for (const write of writers) text += write(value)
    return text
  }
}

function threeDigits(number: number): string {
  return String(number).padStart(3, '0')
}

function formatYear(value: Date): string {
  const year = value.getUTCFullYear()
  if (year >= 1000 && year <= 9999) return String(year)
  return /^.\d+/.exec(value.toISOString())?.[0] as string
}

/** Parses a date and time. Without an offset it is local time of the time zone. */
export function parseDateTime(value: unknown, timezone = 'UTC'): Date | undefined {
  const match = typeof value === 'string' ? dateTimePattern.exec(value) : null
  if (!match || !parseDate(match[1]) || !timePattern.test(match[2] as string)) return undefined
  const date = match[4] ? new Date(value as string) : fromLocal(`${value}Z`, timezone)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : undefined
}

/** Undefined if the date does not exist in the calendar. */
export function parseDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !datePattern.test(value)) return undefined
  const [year, month, day] = [Number(value.slice(0, 4)), Number(value.slice(5, 7)), Number(value.slice(8))]
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 && isLeapYear ? 29 : (daysOfMonths[month - 1] ?? 0)
  return year > 0 && day > 0 && day <= days ? value : undefined
}

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function parseTime(value: unknown): string | undefined {
  return typeof value === 'string' && timePattern.test(value) ? value : undefined
}

/** A time that may have a fraction of a second; also the end of the day, which a column may store. */
export function parseTimeOfDay(value: unknown): string | undefined {
  return typeof value === 'string' && timeOfDayPattern.test(value) ? value : undefined
}

/** Converts local time to UTC. The offset is computed twice, for times near a change of the offset. */
function fromLocal(local: string, timezone: string): Date {
  const localTime = new Date(local).getTime()
  const guess = localTime - offsetAt(localTime, timezone)
  return new Date(localTime - offsetAt(guess, timezone))
}

/** The offset of a time zone from UTC in milliseconds. */
function offsetAt(time: number, timeZone: string): number {
  if (timeZone === 'UTC' || Number.isNaN(time)) return 0
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return new Date(`${format.format(time).replace(' ', 'T')}Z`).getTime() - Math.floor(time / 1000) * 1000
}
