import { checkLength } from '../errors/query-limits.ts'
import { type Families, isMap, type ParamValue } from '../model/query-parameters.ts'

const maxDepth = 5
/** Stands where a name had too many levels or clashed with another: no family accepts it as text or map. */
const malformed: readonly string[] = []

/**
 * Reads a query string by the form-urlencoded algorithm; brackets make lists and maps, the last of equals wins. Throws if
 * there are more parameters than the limit, which 0 switches off.
 */
export function parseQueryString(search: string, limit = 0): Families {
  if (search === '') return nothing
  const families = new Map<string, ParamValue>()
  const sent = search.toWellFormed()
  const pairs = (sent.startsWith('?') ? sent.slice(1) : sent).split('&').filter((pair) => pair !== '')
  checkLength('parameters', pairs.length, limit, decode((pairs[limit] ?? '').split('=', 1)[0] as string))
  for (const pair of pairs) {
    const end = pair.indexOf('=')
    const { family, path } = nameOf(end < 0 ? pair : pair.slice(0, end))
    const value = end < 0 ? '' : decode(pair.slice(end + 1))
    families.set(family, path.length === 0 ? value : place(families.get(family), path, 0, value))
  }
  return families
}

const nothing: Families = new Map()

/** What is encoded amiss is read as a form is. */
function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return new URLSearchParams(`=${text}`).get('') as string
  }
}

interface Name {
  readonly family: string
  readonly path: readonly string[]
}

const maxNames = 200
const maxLength = 100
const names = new Map<string, Name>()

/** Requests have few names, as they were sent, again and again. */
function nameOf(sent: string): Name {
  const known = names.get(sent)
  if (known) return known
  const name = splitName(decode(sent))
  if (names.size >= maxNames) names.clear()
  if (sent.length <= maxLength) names.set(sent, name)
  return name
}

/** `filter[a][b]` → family `filter`, path `a`, `b`; a name with stray brackets is a family of its own. */
function splitName(name: string): Name {
  const start = name.indexOf('[')
  if (start <= 0 || !/^(\[[^[\]]*\])+$/.test(name.slice(start))) return { family: name, path: [] }
  return { family: name.slice(0, start), path: name.slice(start + 1, -1).split('][') }
}

/** A map that inherits nothing; one without any prototype would be a slow object. */
class Params {
  [key: string]: ParamValue
}
Object.setPrototypeOf(Params.prototype, null)
Reflect.deleteProperty(Params.prototype, 'constructor')

/** From a level of the path on. */
function place(known: ParamValue | undefined, path: readonly string[], level: number, value: string): ParamValue {
  if (level === path.length) return value
  if (path.length - level > maxDepth) return malformed
  const key = path[level] as string
  if (key === '' && level === path.length - 1) return Array.isArray(known) ? [...known, value] : [value]
  const map: Record<string, ParamValue> = isMap(known) ? known : new Params()
  map[key] = place(map[key], path, level + 1, value)
  return map
}
