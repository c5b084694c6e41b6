import { type Families, isMap, type ParamValue } from '../data/query-parameters.ts'
import { queryTooLarge } from '../errors/core-errors.ts'
import { phrase } from '../errors/errors.ts'

const maxDepth = 5
/** Replaces a value whose name has too many levels; no family accepts it. */
const malformed: readonly string[] = []

interface QueryStringOptions {
  /** Families whose values are comma lists: the values of a repeated name are joined. Of other names the last wins. */
  readonly lists?: ReadonlySet<string>
  /** Throws if there are more parameters; 0 is no limit. */
  readonly limit?: number
}

/** Parses a query string by the form-urlencoded algorithm. Brackets in names create lists and maps. */
export function parseQueryString(search: string, { lists, limit = 0 }: QueryStringOptions = {}): Families {
  const families = new Map<string, ParamValue>()
  const text = search.toWellFormed().replace(/^\?/, '')
  const pairs = text.split('&').filter((pair) => pair !== '')
  if (limit > 0 && pairs.length > limit) {
    const parameter = decode((pairs[limit] ?? '').split('=', 1)[0] as string)
    const reason = phrase('The query has {count} parameters; at most {limit} are accepted.', {
      count: pairs.length,
      limit,
    })
    throw queryTooLarge({ reason }, { source: { parameter } })
  }
  for (const pair of pairs) {
    const end = pair.indexOf('=')
    const { family, path } = splitName(decode(end < 0 ? pair : pair.slice(0, end)))
    const value = end < 0 ? '' : decode(pair.slice(end + 1))
    families.set(family, insert(families.get(family), path, value, lists?.has(family) ?? false))
  }
  return families
}

/** Falls back to the lenient decoder of URLSearchParams if the text has malformed escapes. */
function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return new URLSearchParams(`=${text}`).get('') as string
  }
}

/** `filter[a][b]` → family `filter`, path `a`, `b`. A name with unbalanced brackets is a family without a path. */
function splitName(name: string): { readonly family: string; readonly path: readonly string[] } {
  const start = name.indexOf('[')
  if (start <= 0 || !/^(\[[^[\]]*\])+$/.test(name.slice(start))) return { family: name, path: [] }
  return { family: name.slice(0, start), path: name.slice(start + 1, -1).split('][') }
}

/** Returns the current value of a family with a value inserted at the path. Maps have no prototype. */
function insert(current: ParamValue | undefined, path: readonly string[], value: string, isList: boolean): ParamValue {
  const [key, ...rest] = path
  if (key === undefined) return isList && typeof current === 'string' ? `${current},${value}` : value
  if (path.length > maxDepth) return malformed
  if (key === '' && rest.length === 0) return Array.isArray(current) ? [...current, value] : [value]
  const map: Record<string, ParamValue> = isMap(current) ? current : Object.create(null)
  map[key] = insert(map[key], rest, value, isList)
  return map
}
