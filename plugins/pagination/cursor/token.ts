import type { ApiError } from '#kernel/errors'
import type { ResourceType, Row } from '#kernel/plugin'
import { isObject } from '#kernel/plugin'
import type { SortTerm } from '#kernel/queries'
import { keysetKey } from '#kernel/queries'
import { cursorMalformed, cursorStale } from './errors.ts'

/**
 * `k`: sort columns with direction, `v`: one value per column, `d`: paging direction. Column names in a token are only
 * compared with the sort of the query, and never used in SQL.
 */
interface Token {
  readonly k: readonly string[]
  readonly v: readonly unknown[]
  readonly d: 'after' | 'before'
}

/** Creates a token for the position of a row. */
export function createRowToken(record: Row, terms: readonly SortTerm[], direction: Token['d']): string {
  const values = terms.map((_, index) => record[keysetKey(index)] ?? null)
  return createToken(values, terms, direction)
}

export function createToken(values: readonly unknown[], terms: readonly SortTerm[], direction: Token['d']): string {
  const token: Token = { k: terms.map(columnName), v: values.map(toTokenValue), d: direction }
  return Buffer.from(JSON.stringify(token)).toString('base64url')
}

/** JSON has no number for NaN and infinities. */
function toTokenValue(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

/** Returns the key values of a token, or the error to report. */
export function readToken(
  text: string,
  terms: readonly SortTerm[],
  type: ResourceType,
  parameter: string,
): readonly unknown[] | ApiError {
  const token = decode(text)
  if (!token) return cursorMalformed({ parameter }, { source: { parameter } })
  if (!hasSortOrder(token, terms)) return cursorStale({ parameter }, { source: { parameter } })
  return hasValidValues(token, terms, type) ? token.v : cursorMalformed({ parameter }, { source: { parameter } })
}

const maxLength = 8192

function decode(text: string): Token | null {
  if (text.length > maxLength || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
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

function hasSortOrder({ k }: Token, terms: readonly SortTerm[]): boolean {
  if (k.length !== terms.length) return false
  for (let index = 0; index < k.length; index++) if (k[index] !== columnName(terms[index] as SortTerm)) return false
  return true
}

function hasValidValues({ v }: Token, terms: readonly SortTerm[], type: ResourceType): boolean {
  if (v.length !== terms.length) return false
  for (let index = 0; index < v.length; index++)
    if (!isColumnValue(v[index], terms[index] as SortTerm, type)) return false
  return true
}

function isColumnValue(value: unknown, { property }: SortTerm, type: ResourceType): boolean {
  const shape = type.shape.properties.get(property)
  return value === null ? (shape?.nullable ?? false) : (shape?.accepts(value) ?? false)
}

function columnName({ property, descending }: SortTerm): string {
  return descending ? `-${property}` : property
}
