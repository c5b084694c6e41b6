const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** RFC 3339 in UTC with whole seconds: `1997-05-21T00:00:00+00:00`. perf: takes a tenth of the time of `toISOString`. */
export function formatDateTime(value: Date): string {
  const year = value.getUTCFullYear()
  if (!(year >= 1000 && year <= 9999)) return `${value.toISOString().slice(0, -5)}+00:00`
  const day = `${year}-${digits[value.getUTCMonth() + 1]}-${digits[value.getUTCDate()]}`
  return `${day}T${digits[value.getUTCHours()]}:${digits[value.getUTCMinutes()]}:${digits[value.getUTCSeconds()]}+00:00`
}

/** Replaces `YYYY`, `MM`, `DD`, `HH`, `mm`, `ss` and `SSS` by the parts of the time in UTC. */
export function formatAs(format: string): (value: Date) => string {
  return (value) => {
    const [, YYYY, MM, DD, HH, mm, ss, SSS] = /^(.+?)-(..)-(..)T(..):(..):(..)\.(...)Z$/.exec(value.toISOString()) ?? []
    const parts: Record<string, string | undefined> = { YYYY, MM, DD, HH, mm, ss, SSS }
    return format.replace(/YYYY|MM|DD|HH|mm|SSS|ss/g, (token) => parts[token] ?? token)
  }
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
  if (typeof value !== 'string' || !datePattern.test(value) || value.startsWith('0000')) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

export function parseTime(value: unknown): string | undefined {
  return typeof value === 'string' && timePattern.test(value) ? value : undefined
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
