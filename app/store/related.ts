import {
  type Context,
  completeOrder,
  type Page,
  type Rec,
  type Relation,
  type RelationQuery,
  relationSelection,
  type SortTerm,
} from '#kernel'
import type { Compiler } from './compiler.ts'
import { convertPivot, firstRowOnly, pivotColumns, pivotOrder } from './pivot.ts'
import { filters, startSelect } from './rows.ts'
import {
  convertRows,
  isBackwards,
  keysetColumns,
  keysetConditions,
  limitOf,
  orderBy,
  reverse,
  selectList,
  toPage,
} from './select.ts'
import { countMembers } from './totals.ts'
import { run } from './unit.ts'

/** The members of a to-many, or the other end of a to-one, for all parents in one statement. */
export async function readRelatedPages(
  relation: Relation,
  parents: readonly Rec[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { owner, target } = relation
  const { window } = query
  if (window?.limit === 0) return emptyPages(relation, parents, query, context)
  const selection = relationSelection(query, target)
  const compiler = await startSelect(target, selection, query.where, context)
  const alias = compiler.alias()
  const { from, parentKey, pivot } = compiler.link(relation, alias)
  const columns = [...selectList(compiler, target, selection, alias), `${parentKey} as "#parent"`]
  if (pivot) columns.push(...pivotColumns(relation, pivot))
  if (window?.keyset) columns.push(...keysetColumns(compiler, window.keyset, target, alias))

  const keys = parents.map((parent) => parent[owner.id.property])
  const where = [
    `${parentKey} = any(${compiler.bind(keys)})`,
    ...filters(compiler, target, query.where, alias),
    ...(window?.keyset ? keysetConditions(compiler, window.keyset, target, alias) : []),
    ...(pivot ? firstRowOnly(compiler, pivot, query.where) : []),
  ].join(' and ')
  const sort = window?.keyset?.terms ?? sortOf(compiler, relation, query)
  const terms = completeOrder(sort, target)
  const order =
    pivot && sort.length === 0
      ? pivotOrder(pivot)
      : orderBy(compiler, isBackwards(window) ? reverse(terms) : terms, target, alias)
  const body = { columns, from: `${from} where ${where}`, parentKey, order }
  const sql = parents.length === 1 ? onePage(compiler, body, query) : pagePerParent(compiler, body, query)
  const rows = convertRows(compiler, target, selection, await run(sql, compiler.parameters, context))
  if (pivot) convertPivot(compiler, relation, pivot, rows)
  const isBeyond = rows.length === 0 && window !== null && window.offset > 0
  return isBeyond ? emptyPages(relation, parents, query, context) : splitByParent(rows, keys, query)
}

/** Where no row was read, none carries the total. */
async function emptyPages(
  relation: Relation,
  parents: readonly Rec[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  if (!query.count) return parents.map(() => ({ records: [], hasMore: false }))
  const totals = await countMembers(relation, parents, query, context)
  return totals.map((total) => ({ records: [], hasMore: false, total }))
}

interface Body {
  readonly columns: readonly string[]
  readonly from: string
  readonly parentKey: string
  readonly order: string
}

function onePage(compiler: Compiler, { columns, from, order }: Body, { window, count }: RelationQuery): string {
  const total = count ? ', count(*) over ()::int as "#total"' : ''
  let sql = `select ${columns.join(', ')}${total} from ${from} order by ${order}`
  const limit = window && limitOf(window)
  if (limit !== null && limit !== undefined) sql += ` limit ${compiler.bind(limit)}`
  if (window && window.offset > 0) sql += ` offset ${compiler.bind(window.offset)}`
  return sql
}

/** Numbers the rows of each parent, and keeps those inside the window. */
function pagePerParent(
  compiler: Compiler,
  { columns, from, parentKey, order }: Body,
  { window, count }: RelationQuery,
): string {
  if (!window) return `select ${columns.join(', ')} from ${from} order by ${order}`
  const number = `row_number() over (partition by ${parentKey} order by ${order}) as "#row"`
  const total = count ? `, count(*) over (partition by ${parentKey})::int as "#total"` : ''
  const limit = limitOf(window)
  const first = compiler.bind(window.offset, 'int8')
  const last = limit === null ? '' : ` and "#row" <= ${compiler.bind(window.offset + limit, 'int8')}`
  return `select * from (select ${columns.join(', ')}, ${number}${total} from ${from}) w where "#row" > ${first}${last} order by "#row"`
}

/** Without a sort: the order mapped on the entity's collection. */
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

function splitByParent(rows: readonly Rec[], keys: readonly unknown[], { window, count }: RelationQuery): Page[] {
  const groups = new Map<string, Rec[]>(keys.map((key) => [String(key), []]))
  for (const row of rows) groups.get(String(row['#parent']))?.push(row)
  return keys.map((key) => {
    const group = groups.get(String(key)) as Rec[]
    return toPage(group, window, count ? ((group[0]?.['#total'] as number | undefined) ?? 0) : undefined)
  })
}
