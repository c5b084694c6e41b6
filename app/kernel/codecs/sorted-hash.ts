import { inQuotes, write } from '../lib/json-text.ts'

type Hash = Readonly<Record<string, unknown>>

/** Sorts the members by key or value. */
export function sortHash(hash: Hash, by: 'keys' | 'values'): Record<string, unknown> {
  return Object.fromEntries(orderedKeys(hash, by).map((key) => [key, hash[key]]))
}

/** Writes the sorted members as JSON text, which keeps the order of numeric keys. */
export function writeSortedHash(hash: Hash, by: 'keys' | 'values'): string {
  let text = ''
  for (const key of orderedKeys(hash, by)) text += `${text === '' ? '{"' : ',"'}${inQuotes(key)}":${write(hash[key])}`
  return text === '' ? '{}' : `${text}}`
}

function orderedKeys(hash: Hash, by: 'keys' | 'values'): string[] {
  const rank = by === 'keys' ? (key: string) => key : (key: string) => String(hash[key])
  return Object.keys(hash).sort((a, b) => Number(rank(a) > rank(b)) - Number(rank(a) < rank(b)))
}
