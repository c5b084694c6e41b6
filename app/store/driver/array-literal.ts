/** Encodes an array of PostgreSQL. Unlike MikroORM's encoding it keeps the text `NULL`, blanks and control characters. */
export function encodeArray(items: readonly unknown[]): string {
  return `{${items.map(encodeItem).join(',')}}`
}

function encodeItem(item: unknown): string {
  if (item === null || item === undefined) return 'NULL'
  const text = String(item)
  return /^$|^null$|["{},\\\s]/i.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
}
