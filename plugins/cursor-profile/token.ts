import type { ApiError, Rec, ResourceType, SortTerm } from '#kernel'
import { isObject } from '#kernel'
import { cursorMalformed, cursorStale } from './errors.ts'

/** `k`: columns with their direction, `v`: one value each, `d`: the way the walk goes. Column names are only compared. */
interface Token {
  readonly k: readonly string[]
  readonly v: readonly unknown[]
  readonly d: 'after' | 'before'
}

export function mintToken(record: Rec, terms: readonly SortTerm[], direction: Token['d']): string {
  const token: Token = { k: terms.map(name), v: terms.map((_, index) => record[`#k${index}`] ?? null), d: direction }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** The boundary values of a token, or the error that refuses it. */
export function readToken(
  text: string,
  terms: readonly SortTerm[],
  type: ResourceType,
  parameter: string,
): readonly unknown[] | ApiError {
  const token = decode(text)
  const refuse = (error: typeof cursorStale) => error({ parameter }, { source: { parameter } })
  if (!token) return refuse(cursorMalformed)
  if (token.k.length !== terms.length || token.k.some((key, index) => key !== name(terms[index] as SortTerm))) {
    return refuse(cursorStale)
  }
  const fits = terms.every((term, index) => isValue(token.v[index], term, type))
  return fits && token.v.length === terms.length ? token.v : refuse(cursorMalformed)
}

function decode(text: string): Token | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length > 8192) return null
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return isToken(token) ? token : null
  } catch {
    return null
  }
}

function isToken(value: unknown): value is Token {
  if (!isObject(value)) return false
  const { k, v, d } = value
  return Array.isArray(k) && Array.isArray(v) && (d === 'after' || d === 'before')
}

function isValue(value: unknown, { property }: SortTerm, type: ResourceType): boolean {
  const shape = type.shape.properties.get(property)
  return value === null ? (shape?.nullable ?? false) : (shape?.accepts(value) ?? false)
}

function name({ property, descending }: SortTerm): string {
  return descending ? `-${property}` : property
}
