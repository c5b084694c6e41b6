import {
  type Context,
  compare,
  isIn,
  isOwnerSide,
  isPolymorphic,
  isThenable,
  linkKey,
  type Page,
  type Provider,
  type Query,
  type Relation,
  type RelationQuery,
  type ResourceType,
  type Row,
  relationSelection,
  type Selection,
  selectionOf,
} from '#kernel/store'
import type { Compiler } from '../sql/compiler.ts'
import { addJoin, type JoinedSelection, joinedRow } from '../sql/join.ts'
import { checkRows, rowBound } from '../sql/row-limit.ts'
import { hasOneScope } from '../sql/scopes.ts'
import { convertRows, keysetColumns, keysetConditions, limitText, pageOrder, toPage } from '../sql/select.ts'
import { createRowsKey, selectRows, selectText } from '../sql/select-rows.ts'
import { runCached } from '../sql/statement-cache.ts'
import { createStatementKey, type StatementKey } from '../sql/statement-key.ts'
import { unitOf } from '../unit.ts'
import { joinedPage, readWithPage } from './joined-page.ts'
import { readPolymorphic } from './polymorphic.ts'
import { readRelatedPages } from './related-pages.ts'

/** Reads rows by statements compiled from MikroORM's metadata: only the columns that are shown, and no entities. */
export const sqlProvider: Provider = {
  hidesKeys: true,

  joins: isJoined,

  joinsPage: (relation) => !isOwnerSide(relation) && !isPolymorphic(relation),

  async one(type, key, query, context, options) {
    const keyCondition = compare(type.id.property, '=', key)
    const page = options?.page
    if (page && page.query.window?.limit !== 0 && (await hasOneScope(type, context))) {
      return readWithPage(type, keyCondition, query, page, context)
    }
    const joins = options?.includes && typeof query.include !== 'function' && query.include.length > 0
    const selection = joins ? await joinIncludes(type, query, context) : selectionOf(query, type)
    const [record] = await selectRows(type, keyCondition, [], selection, context, options)
    return record ?? null
  },

  async many(type, keys, query, context, options) {
    if (keys.length === 0) return []
    return selectRows(type, isIn(type.id.property, keys), [], selectionOf(query, type), context, options)
  },

  async collection(type, query, context) {
    const { window } = query
    if (window?.limit === 0) return withTotal({ records: [], hasMore: false }, type, query, context)
    const selection = selectionOf(query, type)
    const pending = createRowsKey(type, selection, query.where, context)
    const key = isThenable(pending) ? await pending : pending
    key.addPage(window?.keyset?.terms ?? query.sort, window).limitRows(rowBound(query))
    const rows = await runCached(selection, key, context, (compiler) =>
      collectionText(compiler, type, selection, query, key),
    )
    checkRows(rows, key.rowLimit)
    const page = toPage(convertRows(type, selection, rows, unitOf(context)), window)
    return query.count ? withTotal(page, type, query, context) : page
  },

  async count(type, query, context) {
    const key = await createStatementKey(type, [type], query.where, context)
    const [row] = await runCached(type, key, context, (compiler) => {
      const alias = compiler.alias()
      const where = compiler.filters(type, alias, key.where).join(' and ')
      return `select count(*)::int as "count" from ${compiler.table(type)} ${alias}${where && ` where ${where}`}`
    })
    return row?.count as number
  },

  related(relation, parents, query, context) {
    if (isPolymorphic(relation)) return readPolymorphic(relation, parents, query, context)
    if (relation.kind === 'belongsTo') return readForeignKeys(relation, parents, query, context)
    const page = joinedPage(query)
    return page ? Promise.resolve([page]) : readRelatedPages(relation, parents, query, context)
  },
}

function collectionText(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  { window, sort }: Query,
  { where: conditions, rowLimit: bound }: StatementKey,
): string {
  const alias = compiler.alias()
  const extraColumns = window?.keyset ? keysetColumns(compiler, window.keyset, type, alias) : []
  const where = compiler.filters(type, alias, conditions)
  if (window?.keyset) where.push(...keysetConditions(compiler, window, type, alias))
  const sorted = ` order by ${pageOrder(compiler, { window, sort }, type, alias)}`
  const offsetOrder = window && window.offset > 0 ? sorted : ''
  const tail = sorted + limitText(compiler, window, bound)
  return selectText(compiler, type, selection, { alias, where, extraColumns, tail, offsetOrder })
}

async function withTotal(page: Page, type: ResourceType, query: Query, context: Context): Promise<Page> {
  return query.count ? { ...page, total: await sqlProvider.count(type, query, context) } : page
}

/** Whether the row of an include is read by the statement of its parent. */
function isJoined(relation: Relation, { related }: Query): boolean {
  return relation.kind === 'belongsTo' && !related.has(relation)
}

/** Adds the to-one includes of one resource to its selection. */
async function joinIncludes(type: ResourceType, query: Query, context: Context): Promise<JoinedSelection> {
  const selection = selectionOf(query, type)
  if (typeof query.include === 'function' || query.include.length === 0) return selection
  if (!(await hasOneScope(type, context))) return selection
  return query.include
    .filter(({ relation }) => relation.owner === type && isJoined(relation, query))
    .reduce(
      (all, { relation }) => addJoin(all, { relation, selection: selectionOf(query, relation.target) }),
      selection,
    )
}

/**
 * Eager loading of an owner-side to-one: reads the targets of all foreign keys in the parents by one statement. Sends none
 * if the statement of the parents has joined them.
 */
async function readForeignKeys(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { target } = relation
  const selection = relationSelection(query, target)
  const joined = query.where.length > 0 ? null : joinedPages(relation, parents, selection)
  if (joined) return joined
  const foreignKey = linkKey(relation)
  const keys = new Set(parents.map((parent) => parent[foreignKey]).filter((key) => key != null))
  const keyCondition = isIn(target.id.property, [...keys])
  const records = keys.size > 0 ? await selectRows(target, keyCondition, query.where, selection, context) : []
  const byKey = new Map(records.map((record) => [record[target.id.property], record]))
  return parents.map((parent) => {
    const record = byKey.get(parent[foreignKey])
    return { records: record ? [record] : [], hasMore: false }
  })
}

/** Null if a parent has no joined row with these columns. */
function joinedPages(relation: Relation, parents: readonly Row[], selection: Selection): Page[] | null {
  const rows = parents.map((parent) => joinedRow(parent, relation, selection))
  if (rows.includes(undefined)) return null
  return rows.map((row) => ({ records: row ? [row] : [], hasMore: false }))
}
