import { inQuotes, write } from '../lib/json-text.ts'

type Hash = Readonly<Record<string, unknown>>

/** Members in the order of their keys or values. */
export function sortHash(hash: Hash, by: 'keys' | 'values'): Record<string, unknown> {
  return Object.fromEntries(orderedKeys(hash, by).map((key) => [key, hash[key]]))
}

/** The same as JSON text. */
export function writeSortedHash(hash: Hash, by: 'keys' | 'values'): string {
  let text = ''
  for (const key of orderedKeys(hash, by)) text += `${text === '' ? '{"' : ',"'}${inQuotes(key)}":${write(hash[key])}`
  return text === '' ? '{}' : `${text}}`
}

/** By insertion while there are few, as is usual: the built-in sort has much to prepare. */
function orderedKeys(hash: Hash, by: 'keys' | 'values'): string[] {
  const rank = by === 'keys' ? (key: string) => key : (key: string) => String(hash[key])
  const keys = Object.keys(hash)
  if (keys.length > 20) return keys.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] as string
    let place = next
    for (; place > 0 && rank(keys[place - 1] as string) > rank(key); place--) keys[place] = keys[place - 1] as string
    keys[place] = key
  }
  return keys
}
