/** A parsed query value: text, a list (`name[]=`), or a map (`name[key]=`). Maps have no prototype. */
export type ParamValue = string | readonly string[] | ParamMap
export interface ParamMap {
  readonly [key: string]: ParamValue
}

export interface QueryString {
  /** Values by family, the part of a name before its first bracket. */
  readonly families: ReadonlyMap<string, ParamValue>
  /** Decoded pairs in the order they were sent. */
  readonly entries: readonly (readonly [name: string, value: string])[]
}

const maxDepth = 5
/** Stands where a name had too many levels or clashed with another: no family accepts it as text or map. */
const malformed: readonly string[] = []

/** Reads a query string by the form-urlencoded algorithm; brackets make lists and maps, the last of equals wins. */
export function parseQueryString(search: string): QueryString {
  if (search === '') return nothing
  const entries = entriesOf(search)
  const families = new Map<string, ParamValue>()
  for (const [name, value] of entries) {
    const { family, path } = splitName(name)
    families.set(family, place(families.get(family), path, value))
  }
  return { families, entries }
}

const nothing: QueryString = { families: new Map(), entries: [] }

/** Where nothing is encoded, it reads as it stands. */
function entriesOf(search: string): (readonly [name: string, value: string])[] {
  if (/^\?|[%+]/.test(search)) return [...new URLSearchParams(search)]
  const entries: (readonly [string, string])[] = []
  for (const pair of search.split('&')) {
    const end = pair.indexOf('=')
    if (pair !== '') entries.push(end < 0 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)])
  }
  return entries
}

/** `filter[a][b]` → family `filter`, path `a`, `b`; a name with stray brackets is a family of its own. */
function splitName(name: string): { family: string; path: string[] } {
  const start = name.indexOf('[')
  if (start <= 0 || !/^(\[[^[\]]*\])+$/.test(name.slice(start))) return { family: name, path: [] }
  return { family: name.slice(0, start), path: name.slice(start + 1, -1).split('][') }
}

function place(known: ParamValue | undefined, path: readonly string[], value: string): ParamValue {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (path.length > maxDepth) return malformed
  if (key === '' && rest.length === 0) return Array.isArray(known) ? [...known, value] : [value]
  const map: Record<string, ParamValue> = isMap(known) ? known : Object.create(null)
  map[key] = place(map[key], rest, value)
  return map
}

export function isMap(value: ParamValue | undefined): value is ParamMap {
  return typeof value === 'object' && !Array.isArray(value)
}

/** The entries of a comma list, without blanks and surrounding spaces. */
export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
