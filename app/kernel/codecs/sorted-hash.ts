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

/** Uses insertion sort for up to 20 keys, which is faster than the built-in sort. */
function orderedKeys(hash: Hash, by: 'keys' | 'values'): string[] {
  const rank = by === 'keys' ? (key: string) => key : (key: string) => String(hash[key])
  const keys = Object.keys(hash)
  if (keys.length > 20) return keys.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] as string
    let index = next
    for (; index > 0 && rank(keys[index - 1] as string) > rank(key); index--) keys[index] = keys[index - 1] as string
    keys[index] = key
  }
  return keys
}
