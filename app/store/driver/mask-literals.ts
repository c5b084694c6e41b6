/** Quoted identifiers, placeholders, and words that are neither a boolean nor the prefix of a string. */
const kept = String.raw`("(?:[^"]|"")*"?|\$\d+|(?!true\b|false\b|(?:[bexn]|u&)')[a-z_]\w*)`
const comment = String.raw`--[^\n]*|/\*.*?(?:\*/|$)`
/** An unterminated string or comment extends to the end of the text. */
const string = String.raw`e'(?:[^'\\]|\\.|'')*'?|(?:[bxn]|u&)?'(?:[^']|'')*'?|\$(\w*)\$.*?(?:\$\3\$|$)`
const number = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`
const tokens = new RegExp(`${kept}|${comment}|(${string}|${number}|true\\b|false\\b)`, 'gis')

/** Masked lists and rows of any length: `in (?, ?)`, `values (?), (?)`. */
const lists = /\?(?:\s*,\s*\?)+/g
const rows = /(\([^()]*\))(?:\s*,\s*\1)+/g

const maxLength = 20_000
const maxMaskedLength = 4_000

/**
 * Replaces the literals of a statement by `?` and removes comments. The store binds values as parameters, but MikroORM
 * writes values into the text, also those of clients. A long text is cut.
 */
export function maskLiterals(sql: string): string {
  const masked = sql
    .slice(0, maxLength)
    .replace(tokens, (_, word?: string, literal?: string) => word ?? (literal === undefined ? ' ' : '?'))
    .replace(lists, '?')
    .replace(rows, '$1')
  const isCut = sql.length > maxLength || masked.length > maxMaskedLength
  return isCut ? `${masked.slice(0, maxMaskedLength)}…` : masked
}
