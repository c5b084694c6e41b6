import type { EntityProperty } from '@mikro-orm/core'
import {
  type Condition,
  type Context,
  getOrCreate,
  type Page,
  type Relation,
  type RelationQuery,
  type Row,
  relationSelection,
  type Selection,
  type SortTerm,
  type Window,
} from '#kernel/store'
import { type Compiler, rowsOf } from '../sql/compiler.ts'
import { convertPivot, firstRowOnly, memberKey, pivotColumns, pivotOrder, readsKeysOnly } from '../sql/pivot.ts'
import { checkRowCount, type RowBound, rowBound } from '../sql/row-limit.ts'
import { runStatement } from '../sql/run-statement.ts'
import {
  boundText,
  convertRows,
  keysetColumns,
  keysetConditions,
  limitedText,
  limitText,
  limitWithProbe,
  offsetOf,
  pageOrder,
  selectList,
  toPage,
} from '../sql/select.ts'
import { typesRead } from '../sql/select-rows.ts'
import { createStatement, type Slot, StatementBuilder } from '../sql/statement-builder.ts'
import { countByParent } from './count.ts'

/** Eager loading: reads the members of a to-many, or of an inverse to-one, for all parents by one statement, not by N+1. */
export async function readRelatedPages(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { owner, target } = relation
  const { window } = query
  if (window?.limit === 0) return emptyPages(relation, parents, query, context)
  const selection = relationSelection(query, target)
  const pending = createStatement(target, typesRead(selection, target), query.where, context)
  const statement = pending instanceof StatementBuilder ? pending : await pending
  const keys = parents.map((parent) => parent[owner.id.property])
  const slot = statement.addKeys(`${owner.name}.${relation.name}${query.count ? ' count' : ''}`, keys)
  const page = statement.addPage(window?.keyset?.terms ?? query.sort, window)
  const { rowLimit } = statement.limitRows(rowBound(window, query.rowLimit, keys.length))
  const rows = await runStatement(selection.parts, statement, (compiler, where) => {
    const parts = { window: page, where, bound: rowLimit }
    return relatedText(compiler, relation, parentsWith(compiler, slot), selection, query, parts)
  })
  convertMembers(relation, selection, rows, statement)
  const isPastEnd = rows.length === 0 && window !== null && window.offset > 0
  return isPastEnd ? emptyPages(relation, parents, query, context) : splitByParent(rows, keys, query)
}

/** Checks the row limit, and converts the rows in place. */
export function convertMembers(
  relation: Relation,
  selection: Selection,
  rows: Row[],
  { rowLimit, unit: { orm } }: StatementBuilder,
): Row[] {
  checkRowCount(rows, rowLimit)
  if (relation.pivotFields.length > 0) convertPivot(relation, rows, orm)
  return convertRows(relation.target, selection, rows, orm)
}

/** The parents whose related rows a statement reads. */
interface Parents {
  readonly count: number
  /** The condition on the column with the key of the parent. */
  isParent(parentKey: string): string
}

function parentsWith(compiler: Compiler, keys: Slot<readonly unknown[]>): Parents {
  return { count: keys.value.length, isParent: (parentKey) => compiler.isOneOf(parentKey, keys) }
}

/** The values of a statement that reads related rows. */
interface RelatedParts {
  readonly window: Slot<Window> | null
  readonly where: readonly Condition[]
  readonly bound: Slot<RowBound> | null
}

export function relatedText(
  compiler: Compiler,
  relation: Relation,
  parents: Parents,
  selection: Selection,
  query: RelationQuery,
  { window: slot, where: conditions, bound }: RelatedParts,
): string {
  const { owner, property, target } = relation
  const { window, count } = query
  const alias = compiler.alias()
  const { from, parentKey, pivot } = compiler.relationSource(relation, alias)
  const mapped = mappedOrder(compiler.property(owner, property as string))
  const sort = window?.keyset?.terms ?? (query.sort.length > 0 ? query.sort : mapped)
  const filters = compiler.filters(target, alias, conditions)
  const readsPivotOnly = pivot && sort.length + filters.length === 0 && readsKeysOnly(pivot, selection)
  const selected = readsPivotOnly
    ? [memberKey(compiler, pivot, target)]
    : selectList(compiler, target, selection, alias)
  const columns = [...selected, `${parentKey} as "#parent"`]
  const where = [parents.isParent(parentKey), ...filters]
  if (slot?.value.keyset) {
    columns.push(...keysetColumns(compiler, slot.value.keyset, target, alias))
    where.push(...keysetConditions(compiler, slot, target, alias))
  }
  if (pivot) {
    columns.push(...pivotColumns(compiler, relation, pivot))
    where.push(...firstRowOnly(compiler, pivot, conditions))
  }
  const order =
    pivot && sort.length === 0 ? pivotOrder(compiler, pivot) : pageOrder(compiler, { window, sort }, target, alias)
  const tables = readsPivotOnly ? `${compiler.table(rowsOf(pivot.meta))} ${pivot.alias}` : from
  const page = { window: slot, count, parentKey, parentCount: parents.count, order, bound }
  return pagesText(compiler, { ...page, columns, from: `${tables} where ${where.join(' and ')}` })
}

/** Counts by a statement of its own: the total of a page is a column of its rows, and there are none. */
async function emptyPages(
  relation: Relation,
  parents: readonly Row[],
  { where, count }: RelationQuery,
  context: Context,
): Promise<Page[]> {
  if (!count) return parents.map(() => ({ records: [], hasMore: false }))
  const totals = await countByParent([relation], parents, where, context)
  return totals.map((total) => ({ records: [], hasMore: false, total }))
}

/** The parts of a statement that reads one page for each parent. */
interface PagesParts {
  readonly window: Slot<Window> | null
  readonly count: boolean
  readonly columns: readonly string[]
  readonly from: string
  readonly parentKey: string
  readonly parentCount: number
  readonly order: string
  readonly bound: Slot<RowBound> | null
}

export function pagesText(compiler: Compiler, parts: PagesParts): string {
  const { columns, from, parentKey, parentCount, order, bound, window, count } = parts
  const partition = parentCount === 1 ? '' : `partition by ${parentKey} `
  const total = count ? `, count(*) over (${partition})::int as "#total"` : ''
  const select = `select ${columns.join(', ')}${total}`
  if (!window) return limitedText(compiler, `${select} from ${from} order by ${order}`, bound)
  if (parentCount === 1) return `${select} from ${from} order by ${order}${limitText(compiler, window, bound)}`
  // Numbers the rows of each parent, then selects the numbers inside the window.
  const numbered = `${select}, row_number() over (${partition}order by ${order}) as "#row" from ${from}`
  const start = compiler.bindFrom(window, offsetOf, 'int8')
  const end = window.value.limit === null ? '' : ` and "#row" <= ${compiler.bindFrom(window, windowEnd, 'int8')}`
  return `select * from (${numbered}) w where "#row" > ${start}${end} order by "#row"${boundText(compiler, bound)}`
}

const windowEnd = (window: Window) => window.offset + (limitWithProbe(window) ?? 0)

/** The order that the entity maps on a collection. */
export function mappedOrder({ orderBy = [] }: EntityProperty): readonly SortTerm[] {
  const entries = [orderBy].flat().flatMap((order) => Object.entries(order))
  return entries.map(([name, direction]) => ({
    key: name,
    property: name,
    descending: /^(desc|-1)/i.test(String(direction)),
  }))
}

function splitByParent(rows: Row[], keys: readonly unknown[], query: RelationQuery): Page[] {
  if (keys.length === 1) return [toRelatedPage(rows, query)]
  const groups = new Map<string, Row[]>()
  const lists = keys.map((key) => getOrCreate(groups, String(key), (): Row[] => []))
  for (const row of rows) groups.get(String(row['#parent']))?.push(row)
  return lists.map((list) => toRelatedPage(list, query))
}

export function toRelatedPage(rows: Row[], { window, count }: RelationQuery): Page {
  return toPage(rows, window, count ? ((rows[0]?.['#total'] as number | undefined) ?? 0) : undefined)
}
