import type { Context, Member, Provider, ResourceType } from '#kernel/store'
import {
  type Condition,
  completeOrder,
  createQuery,
  isIn,
  isOwnerSide,
  isPolymorphic,
  linkKey,
  type Page,
  type Query,
  type Relation,
  type RelationQuery,
  type Row,
  type SortTerm,
  selectionOf,
  shapeOfRows,
  type Window,
  withinKey,
} from '#kernel/store'
import { canEvaluate, compareValues, evaluateCondition } from './evaluate-condition.ts'
import { keysByType, linksOf } from './links.ts'

/**
 * Rows kept by the program, read with the meaning the store gives to conditions, orders and windows. A relation is a
 * property holding the key of the related resource, or a list of keys; to several types, `{ type, key }` each.
 */
export function memoryProvider(kept: readonly object[]): Provider {
  const rows = kept as readonly Row[]
  const visible = (type: ResourceType, where: readonly Condition[], context: Context, isAddressed = false) =>
    visibleRows(rows, type, where, context, isAddressed)
  const provider: Provider = {
    shape: shapeOfRows('Row', rows),

    async one(type, key, query, context, options) {
      const [found] = await provider.many(type, [key], query, context, options)
      return found ?? null
    },
    async many(type, keys, query, context, { justWritten = false, addressed = false, mark } = {}) {
      const seen = justWritten ? rows : await visible(type, [], context, addressed)
      const found = seen.filter((row) => keys.includes(row[type.id.property]))
      const marked = mark && (await meeting(found, [mark], context))
      return found.map((row) => ({
        ...toRecord(row, type, query),
        ...(marked && { [withinKey]: marked.includes(row) }),
      }))
    },
    async collection(type, query, context) {
      const found = await visible(type, query.where, context)
      const page = cut(found, query.window, query.sort, type)
      if (query.rowLimit && page.records.length > query.rowLimit.rows) query.rowLimit.refuse()
      const records = page.records.map((row) => toRecord(row, type, query))
      return { ...page, records, ...(query.count && { total: found.length }) }
    },
    async count(type, query, context) {
      return (await visible(type, query.where, context)).length
    },
    async related(relation, parents, query, context) {
      const links = parents.map((parent) => linksOf(relation, parent))
      const reached = new Map<ResourceType, Map<unknown, Row>>()
      for (const [type, keys] of keysByType(links.flat())) {
        const members = await membersOf(type, [...keys], query, context)
        reached.set(type, new Map(members.map((member) => [member[type.id.property], member])))
      }
      return links.map((own) => {
        const members = own.flatMap(({ type, key }): Member[] => {
          const record = reached.get(type)?.get(key)
          return record ? [{ type, record }] : []
        })
        const page = isPolymorphic(relation) ? cutMixed(members, query.window) : cutRelated(members, query, relation)
        return query.count ? { ...page, total: members.length } : page
      })
    },
  }
  return provider
}

/** The rows within the scope of the requester that meet the conditions. */
export async function visibleRows(
  rows: readonly Row[],
  type: ResourceType,
  where: readonly Condition[],
  context: Context,
  isAddressed = false,
): Promise<Row[]> {
  const scope = await (isAddressed ? context.scope(type) : context.visibleScope(type))
  return meeting(rows, scope ? [scope, ...where] : where, context)
}

/** The rows that meet all conditions. */
export async function meeting(rows: readonly Row[], where: readonly Condition[], context: Context): Promise<Row[]> {
  const conditions = await Promise.all(where.map((condition) => settle(condition, context)))
  if (!conditions.every(canEvaluate)) return refuseAll(context)
  return rows.filter((row) => conditions.every((condition) => evaluateCondition(row, condition)))
}

function refuseAll({ app }: Context): Row[] {
  const said = 'Rows in memory can be filtered by comparisons of their own properties only; no row is returned.'
  app.logger?.error({}, said)
  return []
}

/** What is demanded of related rows becomes a condition on the keys a row holds. */
async function settle(condition: Condition, context: Context): Promise<Condition> {
  if (condition.kind === 'not') return { ...condition, condition: await settle(condition.condition, context) }
  if (condition.kind === 'and' || condition.kind === 'or') {
    return { ...condition, conditions: await Promise.all(condition.conditions.map((one) => settle(one, context))) }
  }
  if (condition.kind !== 'exists') return condition
  const { target, property } = condition.relation
  const query = createQuery({ type: target })
  query.fields = new Map([[target.name, new Set()]])
  if (condition.condition) query.where.push(condition.condition)
  const { records } = await target.provider.collection(target, query, context)
  return isIn(
    property as string,
    records.map((record) => record[target.id.property]),
  )
}

/** The rows of another type behind these keys, which its own provider filters. */
async function membersOf(
  target: ResourceType,
  keys: readonly unknown[],
  { base, where, window, rowLimit }: RelationQuery,
  context: Context,
): Promise<readonly Row[]> {
  const limit = !window && rowLimit && keys.length > rowLimit.rows ? rowLimit : null
  if (where.length === 0 && !limit) return target.provider.many(target, keys, base, context)
  const conditions = [isIn(target.id.property, keys), ...where]
  const filtered: Query = { ...base, where: conditions, window: null, rowLimit: limit, count: false, sort: [] }
  return (await target.provider.collection(target, filtered, context)).records
}

function cutRelated(members: readonly Member[], { window, sort }: RelationQuery, { target }: Relation): Page {
  const records = members.map(({ record }) => record)
  return window || sort.length > 0 ? cut(records, window, sort, target) : whole(records)
}

/** Members of several types have no order but that in which they are held. */
function cutMixed(members: readonly Member[], window: Window | null): Page {
  const { offset = 0, limit = null } = window ?? {}
  const shown = members.slice(offset, limit === null ? members.length : offset + limit)
  return {
    records: shown.map(({ record }) => record),
    types: shown.map(({ type }) => type),
    hasMore: offset + shown.length < members.length,
  }
}

function whole(records: readonly Row[]): Page {
  return { records, hasMore: false }
}

/** A property that the row does not have is null. */
function toRecord(row: Row, type: ResourceType, query: Query): Row {
  const { properties, links } = selectionOf(query, type)
  const record = { ...row }
  for (const name of properties) record[name] ??= null
  for (const relation of links.filter(isOwnerSide)) record[linkKey(relation)] = row[relation.property as string]
  return record
}

function cut(rows: readonly Row[], window: Window | null, sort: readonly SortTerm[], type: ResourceType): Page {
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

function withKeyset(row: Row, terms: readonly SortTerm[]): Row {
  return { ...row, ...Object.fromEntries(terms.map(({ property }, index) => [`#k${index}`, row[property]])) }
}

function compareRows(a: Row, b: Row, terms: readonly SortTerm[]): number {
  return compareTo(
    a,
    terms.map(({ property }) => b[property]),
    terms,
  )
}

function compareTo(row: Row, values: readonly unknown[], terms: readonly SortTerm[]): number {
  for (const [index, { property, descending }] of terms.entries()) {
    const order = compareValues(row[property], values[index])
    if (order !== 0) return descending ? -order : order
  }
  return 0
}
