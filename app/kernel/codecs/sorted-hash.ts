import { inQuotes, write } from '../lib/json-text.ts'
import { compareTexts, compareValues } from './compare-values.ts'

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
  const compare = by === 'keys' ? compareTexts : (a: string, b: string) => compareValues(hash[a], hash[b])
  return Object.keys(hash).sort(compare)
}
