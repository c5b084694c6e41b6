import {
  type Condition,
  type Context,
  completeOrder,
  isPolymorphic,
  linkKey,
  type Page,
  type Provider,
  type Query,
  type Rec,
  type Relation,
  type RelationQuery,
  type ResourceType,
  relationSelection,
  selectionOf,
} from '#kernel'
import { Compiler } from './compiler.ts'
import { readMixed } from './polymorphic.ts'
import { readRelatedPages } from './related.ts'
import { filters, readByKeys, readRows, startSelect } from './rows.ts'
import { resolveScopes } from './scopes.ts'
import { isBackwards, keysetColumns, keysetConditions, limitOf, orderBy, reverse, toPage } from './select.ts'
import { run, unitOf } from './unit.ts'

/** Reads compiled from MikroORM's metadata: exactly the columns that will be shown, and no entity. */
export const storeProvider: Provider = {
  async one(type, key, query, context, options) {
    const selection = selectionOf(query, type)
    const compiler = await startSelect(type, selection, [], context)
    const alias = compiler.alias()
    const isIt: Condition = { kind: 'compare', property: type.id.property, operator: '=', value: key }
    const where = [compiler.condition(isIt, type, alias)]
    const scope = options?.justWritten ? undefined : compiler.scope(type, alias)
    if (scope) where.push(scope)
    const [record] = await readRows(compiler, type, selection, alias, where, '', context)
    return record ?? null
  },

  async many(type, keys, query, context, options) {
    if (keys.length === 0) return []
    return readByKeys(type, keys, [], selectionOf(query, type), context, options)
  },

  async collection(type, query, context) {
    const { window } = query
    if (window?.limit === 0) return { records: [], hasMore: false, ...(await totalOf(type, query, context)) }
    const selection = selectionOf(query, type)
    const compiler = await startSelect(type, selection, query.where, context)
    const alias = compiler.alias()
    const columns = window?.keyset ? keysetColumns(compiler, window.keyset, type, alias) : []
    const where = filters(compiler, type, query.where, alias)
    if (window?.keyset) where.push(...keysetConditions(compiler, window.keyset, type, alias))
    const order = completeOrder(window?.keyset?.terms ?? query.sort, type)
    const terms = isBackwards(window) ? reverse(order) : order
    const sorted = ` order by ${orderBy(compiler, terms, type, alias)}`
    let tail = sorted
    const limit = window && limitOf(window)
    if (limit !== null && limit !== undefined) tail += ` limit ${compiler.bind(limit)}`
    if (window && window.offset > 0) tail += ` offset ${compiler.bind(window.offset)}`
    const skips = window && window.offset > 0 ? sorted : ''
    const rows = await readRows(compiler, type, selection, alias, where, tail, context, columns, skips)
    return { ...toPage(rows, window), ...(await totalOf(type, query, context)) }
  },

  async count(type, query, context) {
    const compiler = new Compiler(unitOf(context), await resolveScopes([type], query.where, context))
    const alias = compiler.alias()
    const where = filters(compiler, type, query.where, alias).join(' and ')
    const sql = `select count(*)::int as "count" from ${compiler.table(type)} ${alias}${where && ` where ${where}`}`
    const [row] = await run(sql, compiler.parameters, context)
    return row?.count as number
  },

  related(relation, parents, query, context) {
    if (isPolymorphic(relation)) return readMixed(relation, parents, query, context)
    if (relation.kind === 'belongsTo') return readOwners(relation, parents, query, context)
    return readRelatedPages(relation, parents, query, context)
  },
}

async function totalOf(type: ResourceType, query: Query, context: Context): Promise<{ total?: number }> {
  return query.count ? { total: await storeProvider.count(type, query, context) } : {}
}

/** The targets of an owner-side to-one: their keys stand in the parents. */
async function readOwners(
  relation: Relation,
  parents: readonly Rec[],
  query: RelationQuery,
  context: Context,
): Promise<Page[]> {
  const { target } = relation
  const keys = new Set(parents.map((parent) => parent[linkKey(relation)]).filter((key) => key != null))
  const selection = relationSelection(query, target)
  const records = keys.size > 0 ? await readByKeys(target, [...keys], query.where, selection, context) : []
  const byKey = new Map(records.map((record) => [record[target.id.property], record]))
  return parents.map((parent) => {
    const record = byKey.get(parent[linkKey(relation)])
    return { records: record ? [record] : [], hasMore: false }
  })
}
