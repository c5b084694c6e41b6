import type { Condition } from './condition.ts'
import type { Context } from './context.ts'
import { isOwnerSide, type Rec } from './fields/definition.ts'
import type { Provider } from './provider.ts'
import { completeOrder, type Page, type Query, type SortTerm, type Window } from './query.ts'
import type { ResourceType } from './resource.ts'
import { linkKey, selectionOf } from './selection.ts'
import { shapeOf } from './standalone.ts'

/**
 * Rows kept by the program, read with the meaning the store gives to conditions, orders and windows. A relation is a
 * property holding the key of the related resource, or a list of keys.
 */
export function memoryProvider(rows: readonly Rec[]): Provider {
  const names = new Set(['id', ...rows.flatMap((row) => Object.keys(row))])
  const visible = async (type: ResourceType, where: readonly Condition[], context: Context) => {
    const scope = await context.scope(type)
    const conditions = scope ? [scope, ...where] : where
    return rows.filter((row) => conditions.every((condition) => meets(row, condition)))
  }
  const provider: Provider = {
    shape: shapeOf('Row', [...names]),

    async one(type, key, query, context) {
      const found = (await visible(type, [], context)).find((row) => row[type.id.property] === key)
      return found ? toRecord(found, type, query) : null
    },
    async many(type, keys, query, context) {
      const found = (await visible(type, [], context)).filter((row) => keys.includes(row[type.id.property]))
      return found.map((row) => toRecord(row, type, query))
    },
    async collection(type, query, context) {
      const found = await visible(type, query.where, context)
      const page = cut(found, query.window, query.sort, type)
      const records = page.records.map((row) => toRecord(row, type, query))
      return { ...page, records, ...(query.count && { total: found.length }) }
    },
    async count(type, query, context) {
      return (await visible(type, query.where, context)).length
    },
    async related({ target, property }, parents, query, context) {
      const keysOf = (parent: Rec): unknown[] => [parent[property as string] ?? []].flat()
      const members = await target.provider.many(target, [...new Set(parents.flatMap(keysOf))], query.base, context)
      const byKey = new Map<unknown, Rec>(members.map((member) => [member[target.id.property], member]))
      return parents.map((parent) => {
        const own = keysOf(parent).flatMap((key): Rec[] => {
          const member = byKey.get(key)
          return member ? [member] : []
        })
        return query.window || query.sort.length > 0 ? cut(own, query.window, query.sort, target) : whole(own)
      })
    },
  }
  return provider
}

function whole(records: readonly Rec[]): Page {
  return { records, hasMore: false }
}

function toRecord(row: Rec, type: ResourceType, query: Query): Rec {
  const links = selectionOf(query, type).links.filter(isOwnerSide)
  return {
    ...row,
    ...Object.fromEntries(links.map((relation) => [linkKey(relation), row[relation.property as string]])),
  }
}

function cut(rows: readonly Rec[], window: Window | null, sort: readonly SortTerm[], type: ResourceType): Page {
  const terms = completeOrder(window?.keyset?.terms ?? sort, type)
  const ordered = rows.toSorted((a, b) => compareRows(a, b, terms))
  if (!window) return whole(ordered)
  const { after, before } = window.keyset ?? {}
  const within = ordered.filter(
    (row) => (!after || compareTo(row, after, terms) > 0) && (!before || compareTo(row, before, terms) < 0),
  )
  const limit = window.limit ?? within.length
  const isBackwards = before !== undefined && after === undefined
  const start = isBackwards ? Math.max(0, within.length - limit) : window.offset
  const records = within.slice(start, isBackwards ? within.length : start + limit)
  const hasMore = isBackwards ? start > 0 : within.length > start + limit
  return { records: window.keyset ? records.map((row) => withKeyset(row, terms)) : records, hasMore }
}

function withKeyset(row: Rec, terms: readonly SortTerm[]): Rec {
  return { ...row, ...Object.fromEntries(terms.map(({ property }, index) => [`#k${index}`, row[property]])) }
}

function compareRows(a: Rec, b: Rec, terms: readonly SortTerm[]): number {
  return compareTo(
    a,
    terms.map(({ property }) => b[property]),
    terms,
  )
}

function compareTo(row: Rec, values: readonly unknown[], terms: readonly SortTerm[]): number {
  for (const [index, { property, descending }] of terms.entries()) {
    const order = compareValues(row[property], values[index])
    if (order !== 0) return descending ? -order : order
  }
  return 0
}

/** Null counts as the largest value. */
function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1
  if (b === null || b === undefined) return -1
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0
}

function meets(row: Rec, condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((one) => meets(row, one))
    case 'or':
      return condition.conditions.some((one) => meets(row, one))
    case 'not':
      return !meets(row, condition.condition)
    case 'never':
      return false
    case 'null':
      return row[condition.property] === null || row[condition.property] === undefined
    case 'in':
      return condition.values.includes(row[condition.property])
    case 'compare':
      return meetsComparison(row[condition.property], condition.operator, condition.value)
    case 'text':
      return meetsText(row[condition.property], condition.match, condition.text)
    default:
      throw new Error(`Rows in memory cannot be read under a condition of the kind '${condition.kind}'.`)
  }
}

/** Null meets no comparison. */
function meetsComparison(value: unknown, operator: string, wanted: unknown): boolean {
  if (value === null || value === undefined || wanted === null) return false
  const order = compareValues(value, wanted)
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (operator === '>') return order > 0
  if (operator === '>=') return order >= 0
  return operator === '<' ? order < 0 : order <= 0
}

function meetsText(value: unknown, match: 'contains' | 'starts' | 'ends', text: string): boolean {
  if (typeof value !== 'string') return false
  const [inside, wanted] = [lower(value), lower(text)]
  if (match === 'starts') return inside.startsWith(wanted)
  return match === 'ends' ? inside.endsWith(wanted) : inside.includes(wanted)
}

/** ASCII letters only, as the store does. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
