import {
  type Condition,
  type Context,
  type Page,
  type Query,
  type ReadOptions,
  type RelationQuery,
  type ResourceType,
  type Row,
  relationSelection,
  selectionOf,
} from '#kernel/store'
import { addJoin, rowByPosition, selectByPosition } from '../sql/join.ts'
import { rowBound } from '../sql/row-limit.ts'
import { convertRows } from '../sql/select.ts'
import { typesRead } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import { createStatementKey } from '../sql/statement-key.ts'
import { unitOf } from '../unit.ts'
import { convertMembers, pageOf, relatedText } from './related-pages.ts'

type PageOption = NonNullable<ReadOptions['page']>

interface JoinedPage extends Pick<RelationQuery, 'where' | 'sort' | 'window' | 'count'> {
  readonly page: Page
}

/** The pages that were read by the statement of their parent, and what was read. */
const pages = new WeakMap<RelationQuery, JoinedPage>()

/** The page of a query that `readWithPage` has read. Undefined if a hook has changed the query since. */
export function joinedPage(query: RelationQuery): Page | undefined {
  const joined = pages.get(query)
  return joined && hasSameRows(joined, query) ? joined.page : undefined
}

function hasSameRows(read: JoinedPage, { where, sort, window, count }: RelationQuery): boolean {
  const isSameFilter = read.where.length === where.length && read.where.every((part, index) => part === where[index])
  return isSameFilter && read.sort === sort && read.window === window && read.count === count
}

/** Reads a row and a page of its related rows by one statement. Null if the row does not exist for the requester. */
export async function readWithPage(
  type: ResourceType,
  keyCondition: Condition,
  query: Query,
  page: PageOption,
  context: Context,
): Promise<Row | null> {
  const { relation, query: pageQuery } = page
  const { window, where, sort } = pageQuery
  const selection = selectionOf(query, type)
  const related = relationSelection(pageQuery, relation.target)
  const both = addJoin(selection, { relation, selection: related })
  const key = await createStatementKey(relation.target, typesRead(both, type), where, context, [type])
  key.addCondition(keyCondition, `${relation.name}${pageQuery.count ? ' count' : ''} joined`)
  key.addPage(window?.keyset?.terms ?? sort, window).limitRows(rowBound(pageQuery))
  const rows = await runCached(both, key, context, (compiler) => {
    const alias = compiler.alias()
    const isParent = (parentKey: string) => `${parentKey} = ${compiler.key(type, alias)}`
    const members = relatedText(compiler, relation, { isParent, count: 1 }, related, pageQuery, key)
    const parent = [compiler.condition(keyCondition, type, alias), ...compiler.filters(type, alias)].join(' and ')
    const columns = selectByPosition(compiler, type, selection, alias, '#').join(', ')
    // A lateral join is a nested loop, and there is one parent: the related rows keep their order.
    return `select ${columns}, m.* from ${compiler.table(type)} ${alias} left join lateral (${members}) m on true where ${parent}`
  })
  const [first] = rows
  if (!first) return null
  const members = first['#parent'] === null ? [] : rows
  // The total of a counted page is a column of its rows.
  const isKnown = members.length > 0 || !pageQuery.count
  if (isKnown) {
    const read = pageOf(convertMembers(relation, related, members, key, context), pageQuery)
    pages.set(pageQuery, { page: read, where: [...where], sort, window, count: pageQuery.count })
  }
  const [parent = null] = convertRows(type, selection, [rowByPosition(first, selection, '#')], unitOf(context))
  return parent
}
