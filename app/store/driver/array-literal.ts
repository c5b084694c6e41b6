/** Encodes an array of PostgreSQL. Unlike MikroORM's encoding it keeps the text `NULL`, blanks and control characters. */
export function encodeArray(items: readonly unknown[]): string {
  let text = ''
  for (const item of items) {
    if (text !== '') text += ','
    if (item === null || item === undefined) text += 'NULL'
    else text += typeof item === 'number' ? item : quoteItem(String(item))
  }
  return `{${text}}`
}

function quoteItem(text: string): string {
  return /^$|^null$|["{},\\\s]/i.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
