import {
  type Context,
  chooseSelection,
  compare,
  hasOneScope,
  PlanPart,
  type Query,
  type ReadOptions,
  type Relation,
  type ResourceType,
  type Row,
  relationSelection,
  type Selection,
} from '#kernel/store'
import { type Joins, joinedRow, rowByPosition, selectByPosition } from '../sql/join.ts'
import { rowBound } from '../sql/row-limit.ts'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows } from '../sql/select.ts'
import { selectRows, typesRead } from '../sql/select-rows.ts'
import { createStatement, StatementBuilder } from '../sql/statement-builder.ts'
import { unitOf } from '../unit.ts'
import { convertMembers, relatedText, toRelatedPage } from './related-pages.ts'

// A statement has one scope per type. Nothing is joined if a row that is addressed by its URL has another scope than others.

/** Reads a row and the rows of to-one includes by one statement. Null if the row does not exist for the requester. */
export async function readWithIncludes(
  type: ResourceType,
  key: unknown,
  query: Query,
  includes: readonly Relation[],
  context: Context,
): Promise<Row | null> {
  const selection = chooseSelection(query, type)
  const canJoin = hasOneScope(type, context)
  const isJoined = canJoin instanceof Promise ? await canJoin : canJoin
  const joins = isJoined ? prepareJoins(type, selection, query, includes) : undefined
  const [parent = null] = await selectRows(type, [key], selection, context, { addressed: true, joins })
  if (!parent || !joins) return parent
  for (const [index, join] of joins.list.entries()) {
    const row = joinedRow(parent, join, index, unitOf(context).orm)
    context.joined.push({ parent, relation: join.relation, page: { records: row ? [row] : [], hasMore: false } })
  }
  return parent
}

const joinsPart = new PlanPart<Joins>()

/** The joins are a part of the plan of the query. */
function prepareJoins(type: ResourceType, selection: Selection, query: Query, includes: readonly Relation[]): Joins {
  const kept = query.plan?.find(joinsPart)
  if (kept) return kept
  const list = includes.map((relation) => ({ relation, selection: chooseSelection(query, relation.target) }))
  const related = list.flatMap((join) => typesRead(join.selection, join.relation.target))
  const shape = list.map(({ relation, selection: { id } }) => `|${relation.name} ${id}`).join('')
  const joins = { list, types: [...typesRead(selection, type), ...related], shape }
  return query.plan?.keep(joinsPart, joins) ?? joins
}

type PageOption = NonNullable<ReadOptions['page']>

/** Reads a row and a page of its related rows by one statement. Null if the row does not exist for the requester. */
export async function readWithPage(
  type: ResourceType,
  key: unknown,
  query: Query,
  page: PageOption,
  context: Context,
): Promise<Row | null> {
  const { relation, query: pageQuery } = page
  const { window, where, sort } = pageQuery
  const selection = chooseSelection(query, type)
  const canJoin = hasOneScope(type, context)
  if (!(canJoin instanceof Promise ? await canJoin : canJoin)) {
    const [row = null] = await selectRows(type, [key], selection, context, { addressed: true })
    return row
  }
  const related = relationSelection(pageQuery, relation.target)
  const types = [...typesRead(selection, type), ...typesRead(related, relation.target)]
  const pending = createStatement(relation.target, types, where, context, [type])
  const statement = pending instanceof StatementBuilder ? pending : await pending
  const keyCondition = compare(type.id.property, '=', key)
  statement.add(`${relation.name}${pageQuery.count ? ' count' : ''} joined ${selection.id}`, keyCondition)
  const slot = statement.addPage(window?.keyset?.terms ?? sort, window)
  statement.limitRows(rowBound(window, pageQuery.rowLimit))
  const rows = await runStatement(related.parts, statement, (compiler, conditions) => {
    const alias = compiler.alias()
    const isParent = (parentKey: string) => `${parentKey} = ${compiler.key(type, alias)}`
    const parts = { window: slot, where: conditions, bound: statement.rowLimit }
    const members = relatedText(compiler, relation, { isParent, count: 1 }, related, pageQuery, parts)
    const parent = [compiler.condition(keyCondition, type, alias), ...compiler.filters(type, alias)].join(' and ')
    const columns = selectByPosition(compiler, type, selection, alias, '#').join(', ')
    // A lateral join is a nested loop, and there is one parent: the related rows keep their order.
    return `select ${columns}, m.* from ${compiler.table(type)} ${alias} left join lateral (${members}) m on true where ${parent}`
  })
  const [first] = rows
  if (!first) return null
  const [parent = null] = convertRows(type, selection, [rowByPosition(first, selection, '#')], statement.unit.orm)
  const members = first['#parent'] === null ? [] : rows
  // The total of a counted page is a column of its rows.
  const isKnown = members.length > 0 || !pageQuery.count
  if (isKnown && parent) {
    const read = toRelatedPage(convertMembers(relation, related, members, statement), pageQuery)
    context.joined.push({ parent, relation, page: read })
  }
  return parent
}
