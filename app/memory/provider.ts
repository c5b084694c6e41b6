import type { Context, Member, Provider, ResourceType } from '#kernel/store'
import {
  type Condition,
  type ConditionOf,
  chooseSelection,
  completeOrder,
  createQuery,
  inWriteScopeKey,
  isIn,
  isPolymorphic,
  keysetKey,
  linkKey,
  listPivotColumns,
  mapCondition,
  type Page,
  type Query,
  type Relation,
  type RelationQuery,
  type Row,
  type SortTerm,
  shapeOfRows,
  type Window,
} from '#kernel/store'
import { canEvaluate, compareValues, evaluateCondition, pivotKey } from './evaluate-condition.ts'
import { heldRows, type Link, readLinks } from './links.ts'

/**
 * Reads rows that the program keeps in memory. Conditions, sort terms and windows have the meaning they have in the store.
 * A relation is a property with the key of the related resource, or a list of keys: `{ type, key }` each if the relation
 * has several types, `{ key, pivot }` each if it has pivot values; or the related rows themselves, for a type without a
 * provider.
 */
export function memoryProvider(initial: readonly object[]): Provider {
  const rows = initial as readonly Row[]
  const provider: Provider = {
    shape: shapeOfRows('Row', rows),

    async one(type, key, query, context, options) {
      const [found] = await provider.many(type, [key], query, context, options)
      return found ?? null
    },
    async many(type, keys, query, context, { justWritten = false, addressed = false, mark } = {}) {
      const candidates = justWritten ? rows : await visibleRows(rows, type, [], context, addressed)
      const keyCondition = isIn(type.id.property, keys)
      const found = candidates.filter((row) => evaluateCondition(row, keyCondition))
      const marked = mark && (await rowsMeeting(found, [mark], context))
      return found.map((row) => ({
        ...toRecord(row, type, query),
        ...(marked && { [inWriteScopeKey]: marked.includes(row) }),
      }))
    },
    async collection(type, query, context) {
      const found = await visibleRows(rows, type, query.where, context)
      const page = toPage(found, query.window, query.sort, type)
      if (query.rowLimit && page.records.length > query.rowLimit.rows) query.rowLimit.refuse()
      const records = page.records.map((row) => toRecord(row, type, query))
      return { ...page, records, ...(query.count && { total: found.length }) }
    },
    async count(type, query, context) {
      return (await visibleRows(rows, type, query.where, context)).length
    },
    async related(relation, parents, query, context) {
      const links = parents.map((parent) => readLinks(relation, parent))
      const reached = new Map<ResourceType, Map<unknown, Row>>()
      for (const [type, linksOfType] of Map.groupBy(links.flat(), (link) => link.type)) {
        const members = await findMembers(type, linksOfType, query, context)
        reached.set(type, new Map(members.map((member) => [member[type.id.property], member])))
      }
      return links.map((linksOfParent) => {
        const members = linksOfParent.flatMap((link) => findMember(link, reached, relation, query, context))
        const page = isPolymorphic(relation)
          ? polymorphicPage(members, query.window)
          : relatedPage(members, query, relation)
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
  return rowsMeeting(rows, scope ? [scope, ...where] : where, context)
}

export async function rowsMeeting(rows: readonly Row[], where: readonly Condition[], context: Context): Promise<Row[]> {
  const conditions = await Promise.all(where.map((condition) => resolveExists(condition, rows, context)))
  if (!conditions.every((condition) => canEvaluate(condition))) return failClosed(context)
  return rows.filter((row) => conditions.every((condition) => evaluateCondition(row, condition)))
}

/** Returns no row for a condition that cannot be evaluated, and logs an error. */
function failClosed({ app }: Context): never[] {
  const text = 'Rows in memory can only be filtered by comparisons of their own properties. No row is returned.'
  app.logger?.error({}, text)
  return []
}

/** Replaces conditions on related rows by conditions on the keys of the rows that lead to them. */
async function resolveExists(condition: Condition, rows: readonly Row[], context: Context): Promise<Condition> {
  const found: ConditionOf<'exists'>[] = []
  const note = (part: ConditionOf<'exists'>): Condition => {
    found.push(part)
    return part
  }
  mapCondition(condition, { exists: note })
  const resolved = new Map(
    await Promise.all(found.map(async (part) => [part, await hasMembers(part, rows, context)] as const)),
  )
  return mapCondition(condition, { exists: (part) => resolved.get(part) }) as Condition
}

/** Selects the rows that lead to a member that meets the condition, by their keys. */
async function hasMembers(
  { relation, condition }: ConditionOf<'exists'>,
  rows: readonly Row[],
  context: Context,
): Promise<Condition> {
  const { target, owner } = relation
  const query = createQuery({ type: target })
  query.fields = new Map([[target.name, new Set()]])
  if (condition) query.where.push(condition)
  const { records } = await target.provider.collection(target, query, context)
  const keys = new Set(records.map((record) => record[target.id.property]))
  const parents = rows.filter((row) =>
    readLinks(relation, row).some(({ type, key }) => type === target && keys.has(key)),
  )
  return isIn(
    owner.id.property,
    parents.map((row) => row[owner.id.property]),
  )
}

/** The member that a link leads to, with its pivot values. Empty if it is not visible or its pivot row is filtered out. */
function findMember(
  { type, key, pivot }: Link,
  reached: ReadonlyMap<ResourceType, ReadonlyMap<unknown, Row>>,
  relation: Relation,
  { where }: RelationQuery,
  context: Context,
): Member[] {
  const row = reached.get(type)?.get(key)
  if (!row) return []
  const conditions = where.filter(({ kind }) => kind === 'pivot')
  if (!pivot && conditions.length === 0) return [{ type, record: row }]
  if (!conditions.every((condition) => canEvaluate(condition, true))) return failClosed(context)
  const record: Row = { ...row, [pivotKey]: pivot }
  if (!conditions.every((condition) => evaluateCondition(record, condition))) return []
  for (const { property, key: name } of listPivotColumns(relation)) record[name] = pivot?.[property] ?? null
  return [{ type, record }]
}

/** The visible rows that links lead to: those that the parents hold, and those of the keys that they hold. */
async function findMembers(
  target: ResourceType,
  links: readonly Link[],
  query: RelationQuery,
  context: Context,
): Promise<readonly Row[]> {
  const rowConditions = query.where.filter(({ kind }) => kind !== 'pivot')
  const held = heldRows(links)
  const shown = held.length > 0 ? await visibleRows(held, target, rowConditions, context) : []
  const keys = [...new Set(links.flatMap(({ key, row }) => (row ? [] : [key])))]
  const read = keys.length > 0 ? await readMembers(target, keys, rowConditions, query, context) : []
  return [...shown.map((row) => toRecord(row, target, query.base)), ...read]
}

/** Reads the rows of these keys from the provider of their type. */
async function readMembers(
  target: ResourceType,
  keys: readonly unknown[],
  rowConditions: readonly Condition[],
  { base, window, rowLimit: limit }: RelationQuery,
  context: Context,
): Promise<readonly Row[]> {
  const rowLimit = !window && limit && keys.length > limit.rows ? limit : null
  if (rowConditions.length === 0 && !rowLimit) return target.provider.many(target, keys, base, context)
  const conditions = [isIn(target.id.property, keys), ...rowConditions]
  const filtered: Query = {
    ...base,
    where: conditions,
    window: null,
    count: false,
    sort: [],
    rowLimit,
    plan: null,
  }
  return (await target.provider.collection(target, filtered, context)).records
}

function relatedPage(members: readonly Member[], { window, sort }: RelationQuery, { target }: Relation): Page {
  const records = members.map(({ record }) => record)
  return window || sort.length > 0 ? toPage(records, window, sort, target) : { records, hasMore: false }
}

/** Members of several types keep the order of the links. */
function polymorphicPage(members: readonly Member[], window: Window | null): Page {
  const { offset = 0, limit = null } = window ?? {}
  const shown = members.slice(offset, limit === null ? members.length : offset + limit)
  return {
    records: shown.map(({ record }) => record),
    types: shown.map(({ type }) => type),
    hasMore: offset + shown.length < members.length,
  }
}

/** Sets properties that the row does not have to null. */
function toRecord(row: Row, type: ResourceType, query: Query): Row {
  const { properties, links } = chooseSelection(query, type)
  const record = { ...row }
  for (const name of properties) record[name] ??= null
  for (const relation of links) record[linkKey(relation)] = readLinks(relation, row)[0]?.key ?? null
  return record
}

/** Sorts the rows and selects the page of a window, by offset or by keyset pagination. */
function toPage(rows: readonly Row[], window: Window | null, sort: readonly SortTerm[], type: ResourceType): Page {
  const terms = completeOrder(window?.keyset?.terms ?? sort, type)
  const ordered = rows.toSorted((a, b) => compareRows(a, b, terms))
  if (!window) return { records: ordered, hasMore: false }
  const { after, before } = window.keyset ?? {}
  const bounded = ordered.filter(
    (row) => (!after || compareTo(row, after, terms) > 0) && (!before || compareTo(row, before, terms) < 0),
  )
  const limit = window.limit ?? bounded.length
  const isBackwards = before !== undefined && after === undefined
  const start = isBackwards ? Math.max(0, bounded.length - limit) : window.offset
  const records = bounded.slice(start, isBackwards ? bounded.length : start + limit)
  const hasMore = isBackwards ? start > 0 : bounded.length > start + limit
  return { records: window.keyset ? records.map((row) => withKeyset(row, terms)) : records, hasMore }
}

function withKeyset(row: Row, terms: readonly SortTerm[]): Row {
  return { ...row, ...Object.fromEntries(terms.map(({ property }, index) => [keysetKey(index), row[property]])) }
}

function compareRows(a: Row, b: Row, terms: readonly SortTerm[]): number {
  return compareTo(
    a,
    terms.map((term) => sortValue(b, term)),
    terms,
  )
}

function sortValue(row: Row, { property, pivot }: SortTerm): unknown {
  return pivot ? (row[pivotKey] as Row | undefined)?.[property] : row[property]
}

function compareTo(row: Row, values: readonly unknown[], terms: readonly SortTerm[]): number {
  for (const [index, term] of terms.entries()) {
    const order = compareValues(sortValue(row, term), values[index])
    if (order !== 0) return term.descending ? -order : order
  }
  return 0
}
