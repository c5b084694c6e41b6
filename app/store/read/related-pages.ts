import {
  type Context,
  completeOrder,
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
import type { Compiler } from '../sql/compiler.ts'
import {
  convertPivot,
  firstRowOnly,
  memberKey,
  pivotColumns,
  pivotOrder,
  pivotTable,
  readsKeysOnly,
} from '../sql/pivot.ts'
import { checkRows, type RowBound, rowBound } from '../sql/row-limit.ts'
import {
  boundText,
  convertRows,
  isBackwards,
  keysetColumns,
  keysetConditions,
  limitedText,
  limitOf,
  limitText,
  offsetOf,
  orderBy,
  reverse,
  selectList,
  toPage,
} from '../sql/select.ts'
import { createRowsKey, rowFilters } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import type { StatementKey } from '../sql/statement-key.ts'
import { unitOf } from '../unit.ts'
import { countMembers } from './count-related.ts'

/** Reads the members of a to-many, or of an inverse to-one, for all parents in one statement. */
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
  const key = await createRowsKey(target, selection, query.where, context)
  const keys = parents.map((parent) => parent[owner.id.property])
  key.addKeys(`${owner.name}.${relation.name}${query.count ? ' count' : ''}`, keys)
  key.addPage(window?.keyset?.terms ?? query.sort, window).limitRows(rowBound(query, keys.length))
  const rows = await runCached(selection, key, context, (compiler) =>
    relatedText(compiler, relation, keys, selection, query, key),
  )
  checkRows(rows, key.rowLimit)
  convertRows(target, selection, rows, unitOf(context))
  convertPivot(relation, rows, unitOf(context))
  const isPastEnd = rows.length === 0 && window !== null && window.offset > 0
  return isPastEnd ? emptyPages(relation, parents, query, context) : splitByParent(rows, keys, query)
}

function relatedText(
  compiler: Compiler,
  relation: Relation,
  keys: readonly unknown[],
  selection: Selection,
  query: RelationQuery,
  { where: conditions, rowLimit: bound }: StatementKey,
): string {
  const { target } = relation
  const { window } = query
  const alias = compiler.alias()
  const { from, parentKey, pivot } = compiler.link(relation, alias)
  const sort = window?.keyset?.terms ?? sortOf(compiler, relation, query)
  const conditionTexts = rowFilters(compiler, target, conditions, alias)
  const readsPivotOnly = pivot && sort.length + conditionTexts.length === 0 && readsKeysOnly(pivot, selection)
  const shown = readsPivotOnly ? [memberKey(compiler, pivot, target)] : selectList(compiler, target, selection, alias)
  const columns = [...shown, `${parentKey} as "#parent"`]
  if (pivot) columns.push(...pivotColumns(relation, pivot))
  if (window?.keyset) columns.push(...keysetColumns(compiler, window.keyset, target, alias))
  const where = [
    compiler.isOneOf(parentKey, keys),
    ...conditionTexts,
    ...(window?.keyset ? keysetConditions(compiler, window, target, alias) : []),
    ...(pivot ? firstRowOnly(compiler, pivot, conditions) : []),
  ].join(' and ')
  const terms = completeOrder(sort, target)
  const order =
    pivot && sort.length === 0
      ? pivotOrder(pivot)
      : orderBy(compiler, isBackwards(window) ? reverse(terms) : terms, target, alias)
  const body = { columns, from: `${readsPivotOnly ? pivotTable(pivot) : from} where ${where}`, parentKey, order, bound }
  return pagesText(compiler, body, query, keys.length)
}

/** Counts by a statement of its own: the total of a page is in its rows, and there are none. */
async function emptyPages(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  if (!query.count) return parents.map(() => ({ records: [], hasMore: false }))
  const totals = await countMembers(relation, parents, query, context)
  return totals.map((total) => ({ records: [], hasMore: false, total }))
}

/** The parts of a statement that reads one page per parent. */
interface Body {
  readonly columns: readonly string[]
  readonly from: string
  readonly parentKey: string
  readonly order: string
  readonly bound: RowBound | null
}

type PageQuery = Pick<RelationQuery, 'window' | 'count'>

export function pagesText(compiler: Compiler, body: Body, query: PageQuery, parents: number): string {
  return parents === 1 ? onePage(compiler, body, query) : pagePerParent(compiler, body, query)
}

function onePage(compiler: Compiler, { columns, from, order, bound }: Body, { window, count }: PageQuery): string {
  const total = count ? ', count(*) over ()::int as "#total"' : ''
  const text = `select ${columns.join(', ')}${total} from ${from} order by ${order}`
  return window ? text + limitText(compiler, window, bound) : limitedText(compiler, text, bound)
}

/** Numbers the rows of each parent and selects the rows inside the window. */
function pagePerParent(
  compiler: Compiler,
  { columns, from, parentKey, order, bound }: Body,
  { window, count }: PageQuery,
): string {
  if (!window) return limitedText(compiler, `select ${columns.join(', ')} from ${from} order by ${order}`, bound)
  const number = `row_number() over (partition by ${parentKey} order by ${order}) as "#row"`
  const total = count ? `, count(*) over (partition by ${parentKey})::int as "#total"` : ''
  const first = compiler.bindFrom(window, offsetOf, 'int8')
  const last = window.limit === null ? '' : ` and "#row" <= ${compiler.bindFrom(window, endOf, 'int8')}`
  const numbered = `select ${columns.join(', ')}, ${number}${total} from ${from}`
  return `select * from (${numbered}) w where "#row" > ${first}${last} order by "#row"${boundText(compiler, bound)}`
}

const endOf = (window: Window) => window.offset + (limitOf(window) ?? 0)

/** The sort of the query, or else the order that is mapped on the collection of the entity. */
function sortOf(compiler: Compiler, { owner, property }: Relation, { sort }: RelationQuery): readonly SortTerm[] {
  if (sort.length > 0) return sort
  const mapped = compiler.property(owner, property as string).orderBy ?? []
  return [mapped]
    .flat()
    .flatMap((order) => Object.entries(order))
    .map(([name, direction]) => ({
      key: name,
      property: name,
      descending: String(direction).toLowerCase().startsWith('desc') || direction === -1,
    }))
}

function splitByParent(rows: Row[], keys: readonly unknown[], query: RelationQuery): Page[] {
  if (keys.length === 1) return [pageOf(rows, query)]
  const groups = new Map<string, Row[]>()
  const lists = keys.map((key) => getOrCreate(groups, String(key), (): Row[] => []))
  for (const row of rows) groups.get(String(row['#parent']))?.push(row)
  return lists.map((list) => pageOf(list, query))
}

function pageOf(rows: Row[], { window, count }: RelationQuery): Page {
  return toPage(rows, window, count ? ((rows[0]?.['#total'] as number | undefined) ?? 0) : undefined)
}
