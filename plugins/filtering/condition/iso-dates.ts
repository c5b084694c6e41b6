import { parseInfinity } from '#kernel/queries'

const day = /^\d{4}-\d\d-\d\d$/
const dateTime = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?(Z|z|[+-]\d\d:?\d\d)?$/

/** Returns spellings of an ISO 8601 date or date-time, or of `infinity`, for columns that hold dates only or have no time zone. */
export function dateSpellings(text: string): readonly string[] {
  if (parseInfinity(text)) return [text]
  if (day.test(text)) return [text, `${text}T00:00:00Z`, `${text}T00:00:00`]
  const [, date, time, seconds = ':00', zone = 'Z'] = dateTime.exec(text) ?? []
  if (date === undefined) return []
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  return [`${date}T${time}${seconds}${offset}`, `${date}T${time}${seconds}`, date]
}
