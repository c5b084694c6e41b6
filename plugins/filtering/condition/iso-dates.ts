const day = /^\d{4}-\d\d-\d\d$/
const moment = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,6})?)?(Z|z|[+-]\d\d:?\d\d)?$/

/** The ways an ISO 8601 date or time can be written for a column: as a moment, as a day. The column takes what it can. */
export function readDate(text: string): readonly string[] {
  if (day.test(text)) return [text, `${text}T00:00:00Z`, `${text}T00:00:00`]
  const [, date, time, seconds = ':00', zone = 'Z'] = moment.exec(text) ?? []
  if (date === undefined) return []
  const offset = zone.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  return [`${date}T${time}${seconds}${offset}`, `${date}T${time}${seconds}`, date]
}
