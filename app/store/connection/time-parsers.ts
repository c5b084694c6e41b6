const [date, timestamp, timestamptz] = [1082, 1114, 1184]

/** Keeps times as texts, as MikroORM expects them. Times that JavaScript has no date for are null: infinity, and years B.C. */
function parseTime(text: string): string | null {
  return text.endsWith('infinity') || text.endsWith(' BC') ? null : text
}

/** The parsers of times by the OID of their type. */
export const timeParsers: Readonly<Record<number, (text: string) => string | null>> = {
  [date]: parseTime,
  [timestamp]: parseTime,
  [timestamptz]: parseTime,
}
