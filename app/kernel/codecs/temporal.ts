export const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const dateTimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/i

const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** RFC 3339 in UTC with whole seconds: `1997-05-21T00:00:00+00:00`. A tenth of what `toISOString` takes. */
export function formatDateTime(value: Date): string {
  const year = value.getUTCFullYear()
  if (!(year >= 1000 && year <= 9999)) return `${value.toISOString().slice(0, -5)}+00:00`
  const day = `${year}-${digits[value.getUTCMonth() + 1]}-${digits[value.getUTCDate()]}`
  return `${day}T${digits[value.getUTCHours()]}:${digits[value.getUTCMinutes()]}:${digits[value.getUTCSeconds()]}+00:00`
}

/** Fills `YYYY`, `MM`, `DD`, `HH`, `mm`, `ss` and `SSS` with the parts of the moment in UTC. */
export function formatAs(format: string): (value: Date) => string {
  return (value) => {
    const [, YYYY, MM, DD, HH, mm, ss, SSS] = /^(.+?)-(..)-(..)T(..):(..):(..)\.(...)Z$/.exec(value.toISOString()) ?? []
    const parts: Record<string, string | undefined> = { YYYY, MM, DD, HH, mm, ss, SSS }
    return format.replace(/YYYY|MM|DD|HH|mm|SSS|ss/g, (token) => parts[token] ?? token)
  }
}

/** A moment; without an offset it is read in the time zone. */
export function parseDateTime(value: unknown, timezone = 'UTC'): Date | undefined {
  const match = typeof value === 'string' ? dateTimePattern.exec(value) : null
  if (!match || !parseDate(match[1]) || !timePattern.test(match[2] as string)) return undefined
  const date = match[4] ? new Date(value as string) : fromLocal(`${value}Z`, timezone)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : undefined
}

/** A day that is in the calendar. */
export function parseDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !datePattern.test(value) || value.startsWith('0000')) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

export function parseTime(value: unknown): string | undefined {
  return typeof value === 'string' && timePattern.test(value) ? value : undefined
}

/** The moment at which clocks of the zone show this; a second look settles hours near a change of offset. */
function fromLocal(shown: string, timezone: string): Date {
  const wanted = new Date(shown).getTime()
  const guess = wanted - offsetAt(wanted, timezone)
  return new Date(wanted - offsetAt(guess, timezone))
}

/** Milliseconds the clocks of a zone are ahead of UTC. */
function offsetAt(moment: number, timeZone: string): number {
  if (timeZone === 'UTC' || Number.isNaN(moment)) return 0
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return new Date(`${format.format(moment).replace(' ', 'T')}Z`).getTime() - Math.floor(moment / 1000) * 1000
}
