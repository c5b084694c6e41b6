import {
  type Condition,
  type Context,
  isThenable,
  type Query,
  type ReadOptions,
  type Relation,
  type ResourceType,
  type Row,
  relationSelection,
  selectionOf,
} from '#kernel/store'
import { joinedRow, rowByPosition, selectByPosition } from '../sql/join.ts'
import { rowBound } from '../sql/row-limit.ts'
import { ownerId, runStatement } from '../sql/run-statement.ts'
import { hasOneScope } from '../sql/scopes.ts'
import { convertRows } from '../sql/select.ts'
import { selectByKey, selectOne, typesRead } from '../sql/select-rows.ts'
import { createStatement } from '../sql/statement.ts'
import { unitOf } from '../unit.ts'
import { convertMembers, pageOf, relatedText } from './related-pages.ts'

const addressed: ReadOptions = { addressed: true }

// A statement has one scope per type. Nothing is joined if a row that is addressed by its URL has another scope than others.

/** Reads a row and the rows of to-one includes by one statement. Null if the row does not exist for the requester. */
export async function readWithIncludes(
  type: ResourceType,
  keyCondition: Condition,
  query: Query,
  includes: readonly Relation[],
  context: Context,
): Promise<Row | null> {
  const selection = selectionOf(query, type)
  const canJoin = hasOneScope(type, context)
  if (!(isThenable(canJoin) ? await canJoin : canJoin))
    return selectOne(type, keyCondition, selection, context, addressed)
  const joins = includes.map((relation) => ({ relation, selection: selectionOf(query, relation.target) }))
  const related = joins.flatMap((join) => typesRead(join.selection, join.relation.target))
  const types = [...typesRead(selection, type), ...related]
  const pending = createStatement(type, types, [], context, [type])
  const statement = isThenable(pending) ? await pending : pending
  const rows = await selectByKey(type, keyCondition, statement, selection, context, {}, joins)
  const unit = unitOf(context)
  const [parent = null] = convertRows(type, selection, rows, unit)
  if (!parent) return null
  for (const [index, join] of joins.entries()) {
    const row = joinedRow(parent, join, index, unit)
    context.joined.push({ parent, relation: join.relation, page: { records: row ? [row] : [], hasMore: false } })
  }
  return parent
}

type PageOption = NonNullable<ReadOptions['page']>

/** Reads a row and a page of its related rows by one statement. Null if the row does not exist for the requester. */
export async function readWithPage(
  type: ResourceType,
  keyCondition: Condition,
  query: Query,
  page: PageOption,
  context: Context,
): Promise<Row | null> {
  const { relation, query: pageQuery, limit } = page
  const { window, where, sort } = pageQuery
  const selection = selectionOf(query, type)
  const canJoin = hasOneScope(type, context)
  if (!(isThenable(canJoin) ? await canJoin : canJoin))
    return selectOne(type, keyCondition, selection, context, addressed)
  const related = relationSelection(pageQuery, relation.target)
  const types = [...typesRead(selection, type), ...typesRead(related, relation.target)]
  const pending = createStatement(relation.target, types, where, context, [type])
  const statement = isThenable(pending) ? await pending : pending
  const hasKey = statement.addCondition(keyCondition, `${relation.name}${pageQuery.count ? ' count' : ''} joined`)
  statement.shape += ` ${ownerId(selection)}`
  const slot = statement.addPage(window?.keyset?.terms ?? sort, window)
  statement.limitRows(rowBound(window, limit))
  const rows = await runStatement(related, statement, context, (compiler, conditions) => {
    const alias = compiler.alias()
    const isParent = (parentKey: string) => `${parentKey} = ${compiler.key(type, alias)}`
    const parts = { window: slot, where: conditions, bound: statement.rowLimit }
    const members = relatedText(compiler, relation, { isParent, count: 1 }, related, pageQuery, parts)
    const parent = [compiler.condition(hasKey(), type, alias), ...compiler.filters(type, alias)].join(' and ')
    const columns = selectByPosition(compiler, type, selection, alias, '#').join(', ')
    // A lateral join is a nested loop, and there is one parent: the related rows keep their order.
    return `select ${columns}, m.* from ${compiler.table(type)} ${alias} left join lateral (${members}) m on true where ${parent}`
  })
  const [first] = rows
  if (!first) return null
  const [parent = null] = convertRows(type, selection, [rowByPosition(first, selection, '#')], unitOf(context))
  const members = first['#parent'] === null ? [] : rows
  // The total of a counted page is a column of its rows.
  const isKnown = members.length > 0 || !pageQuery.count
  if (isKnown && parent) {
    const read = pageOf(convertMembers(relation, related, members, statement.rowLimit, context), pageQuery)
    context.joined.push({ parent, relation, page: read, query: { ...pageQuery, where: [...where] } })
  }
  return parent
}
