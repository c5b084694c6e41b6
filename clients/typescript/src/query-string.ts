import { writeExpression } from './where.ts'

/** The query parameters of a request, as the methods receive them. */
export interface QueryInput {
  readonly include?: readonly string[]
  readonly fields?: Readonly<Record<string, readonly string[]>>
  readonly filter?: Readonly<Record<string, unknown>>
  readonly sort?: string | readonly string[]
  readonly page?: Readonly<Record<string, unknown>>
  readonly withCount?: readonly string[]
  readonly params?: Readonly<Record<string, string>>
}

/** Returns the query string without `?`. */
export function toQueryString({
  include,
  fields = {},
  filter = {},
  sort,
  page = {},
  withCount,
  params,
}: QueryInput): string {
  const search = new URLSearchParams()
  const add = (name: string, value: unknown) => {
    if (value !== undefined) search.append(name, toText(value))
  }
  add('include', include)
  for (const [type, names] of Object.entries(fields)) add(`fields[${type}]`, names)
  for (const [key, value] of Object.entries(filter)) {
    if (typeof value === 'function') add(`filter[${key}]`, writeExpression(value as never))
    else if (isRange(value)) for (const [bound, limit] of Object.entries(value)) add(`filter[${key}][${bound}]`, limit)
    else add(`filter[${key}]`, value)
  }
  add('sort', sort)
  for (const [key, value] of Object.entries(page)) add(`page[${key}]`, value)
  add('withCount', withCount)
  for (const [name, value] of Object.entries(params ?? {})) add(name, value)
  return search.toString()
}

/** Lists have commas; null is an empty value, which disables the default of a filter. */
function toText(value: unknown): string {
  return Array.isArray(value) ? value.map(toText).join(',') : String(value ?? '')
}

function isRange(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
