import { type Condition, isIn } from './condition.ts'
import type { Context } from './context.ts'
import { isOwnerSide, type Rec } from './fields/definition.ts'
import { compareValues, meets } from './meets.ts'
import type { Provider } from './provider.ts'
import { completeOrder, type Page, type Query, type RelationQuery, type SortTerm, type Window } from './query.ts'
import type { ResourceType } from './resource.ts'
import { linkKey, selectionOf } from './selection.ts'
import { shapeOfRows } from './standalone.ts'

/**
 * Rows kept by the program, read with the meaning the store gives to conditions, orders and windows. A relation is a
 * property holding the key of the related resource, or a list of keys.
 */
export function memoryProvider(kept: readonly object[]): Provider {
  const rows = kept as readonly Rec[]
  const visible = (type: ResourceType, where: readonly Condition[], context: Context) =>
    visibleRows(rows, type, where, context)
  const provider: Provider = {
    shape: shapeOfRows('Row', rows),

    async one(type, key, query, context, { justWritten = false } = {}) {
      const seen = justWritten ? rows : await visible(type, [], context)
      const found = seen.find((row) => row[type.id.property] === key)
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
      const members = await membersOf(target, [...new Set(parents.flatMap(keysOf))], query, context)
      const byKey = new Map<unknown, Rec>(members.map((member) => [member[target.id.property], member]))
      return parents.map((parent) => {
        const own = keysOf(parent).flatMap((key): Rec[] => {
          const member = byKey.get(key)
          return member ? [member] : []
        })
        const page = query.window || query.sort.length > 0 ? cut(own, query.window, query.sort, target) : whole(own)
        return query.count ? { ...page, total: own.length } : page
      })
    },
  }
  return provider
}

/** The rows within the scope of the requester that meet the conditions. */
export async function visibleRows(
  rows: readonly Rec[],
  type: ResourceType,
  where: readonly Condition[],
  context: Context,
): Promise<Rec[]> {
  const scope = await context.scope(type)
  const conditions = scope ? [scope, ...where] : where
  return rows.filter((row) => conditions.every((condition) => meets(row, condition)))
}

/** The rows of another type behind these keys, which its own provider filters. */
async function membersOf(
  target: ResourceType,
  keys: readonly unknown[],
  { base, where }: RelationQuery,
  context: Context,
): Promise<readonly Rec[]> {
  if (where.length === 0) return target.provider.many(target, keys, base, context)
  const conditions = [isIn(target.id.property, keys), ...where]
  const filtered: Query = { ...base, where: conditions, window: null, count: false, sort: [] }
  return (await target.provider.collection(target, filtered, context)).records
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
