import {
  type Condition,
  type Context,
  chooseSelection,
  isOwnerSide,
  isPolymorphic,
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
  type Window,
} from '#kernel/store'
import type { Compiler } from '../sql/compiler.ts'
import { checkRowCount, rowBound } from '../sql/row-limit.ts'
import { runStatement } from '../sql/run-statement.ts'
import { convertRows, keysetColumns, keysetConditions, limitText, pageOrder, toPage } from '../sql/select.ts'
import { selectRows, selectText, typesRead } from '../sql/select-rows.ts'
import { createStatement, type Slot, type StatementBuilder, whenResolved } from '../sql/statement-builder.ts'
import { readWithIncludes, readWithPage } from './joined-rows.ts'
import { readPolymorphic } from './polymorphic.ts'
import { readRelatedPages } from './related-pages.ts'

/** Reads rows by statements compiled from MikroORM's metadata: only the columns that are shown, and no entities. */
export const sqlProvider: Provider = {
  hidesKeys: true,

  joins: (relation, { related }) => relation.kind === 'belongsTo' && !related.has(relation),

  joinsPage: (relation) => !isOwnerSide(relation) && !isPolymorphic(relation),

  one(type, key, query, context, options = {}) {
    const { page, includes } = options
    if (page && page.query.window?.limit !== 0) return readWithPage(type, key, query, page, context)
    if (includes && includes.length > 0) return readWithIncludes(type, key, query, includes, context)
    return selectRows(type, [key], chooseSelection(query, type), context, options).then(([row = null]) => row)
  },

  many(type, keys, query, context, options) {
    if (keys.length === 0) return Promise.resolve([])
    return selectRows(type, keys, chooseSelection(query, type), context, options)
  },

  collection(type, query, context) {
    const { window, rowLimit } = query
    if (window?.limit === 0) return withTotal({ records: [], hasMore: false }, type, query, context)
    const selection = chooseSelection(query, type)
    const page = whenResolved(createStatement(type, typesRead(selection, type), query.where, context), (statement) => {
      const slot = statement.addPage(window?.keyset?.terms ?? query.sort, window)
      statement.limitRows(rowBound(window, rowLimit))
      return runStatement(selection.parts, statement, (compiler, where) =>
        collectionText(compiler, type, selection, query, { page: slot, where, statement }),
      ).then((rows) => {
        checkRowCount(rows, statement.rowLimit)
        return toPage(convertRows(type, selection, rows, statement.unit.orm), window)
      })
    })
    return query.count ? page.then((found) => withTotal(found, type, query, context)) : page
  },

  count(type, query, context) {
    const rows = whenResolved(createStatement(type, [type], query.where, context), (statement) =>
      runStatement(type, statement, (compiler, conditions) => {
        const alias = compiler.alias()
        const where = compiler.filters(type, alias, conditions).join(' and ')
        return `select count(*)::int as "count" from ${compiler.table(type)} ${alias}${where && ` where ${where}`}`
      }),
    )
    return rows.then(([row]) => row?.count as number)
  },

  related(relation, parents, query, context) {
    if (isPolymorphic(relation)) return readPolymorphic(relation, parents, query, context)
    if (relation.kind === 'belongsTo') return readForeignKeys(relation, parents, query, context)
    return readRelatedPages(relation, parents, query, context)
  },
}

interface CollectionParts {
  readonly page: Slot<Window> | null
  readonly where: readonly Condition[]
  readonly statement: StatementBuilder
}

function collectionText(
  compiler: Compiler,
  type: ResourceType,
  selection: Selection,
  { window, sort }: Query,
  { page, where: conditions, statement }: CollectionParts,
): string {
  const alias = compiler.alias()
  const extraColumns = window?.keyset ? keysetColumns(compiler, window.keyset, type, alias) : []
  const where = compiler.filters(type, alias, conditions)
  if (page?.value.keyset) where.push(...keysetConditions(compiler, page, type, alias))
  const sorted = ` order by ${pageOrder(compiler, { window, sort }, type, alias)}`
  const offsetOrder = window && window.offset > 0 ? sorted : ''
  const tail = sorted + limitText(compiler, page, statement.rowLimit)
  return selectText(compiler, type, selection, { alias, where, extraColumns, tail, offsetOrder })
}

async function withTotal(page: Page, type: ResourceType, query: Query, context: Context): Promise<Page> {
  return query.count ? { ...page, total: await sqlProvider.count(type, query, context) } : page
}

/** Eager loading of an owner-side to-one: reads the targets of all foreign keys in the parents by one statement. */
function readForeignKeys(
  relation: Relation,
  parents: readonly Row[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { target } = relation
  const selection = relationSelection(query, target)
  const foreignKey = linkKey(relation)
  const keys = new Set<unknown>()
  for (const parent of parents) if (parent[foreignKey] != null) keys.add(parent[foreignKey])
  if (keys.size === 0) return Promise.resolve(parents.map(() => ({ records: [], hasMore: false })))
  return selectRows(target, [...keys], selection, context, { where: query.where }).then((records) => {
    const byKey = new Map<unknown, Row>()
    for (const record of records) byKey.set(record[target.id.property], record)
    const pages: Page[] = []
    for (const parent of parents) {
      const record = byKey.get(parent[foreignKey])
      pages.push({ records: record ? [record] : [], hasMore: false })
    }
    return pages
  })
}
