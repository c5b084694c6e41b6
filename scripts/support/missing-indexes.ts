import type { ResourceType } from '#kernel'
import type { App, Lookup } from '#kernel/plugin'
import type { Orm } from '#store'
import type { Catalog, ForeignKey, Index } from './catalog.ts'

/** A query that scans a whole table, and the index it needs. */
export interface MissingIndex {
  /** `albums?sort=title`, or the columns of a foreign key. */
  readonly usedBy: string
  readonly create: string
}

/** Foreign keys without an index: a delete and an inverse relation scan the whole table. */
export function unindexedKeys({ foreignKeys, indexes }: Catalog): MissingIndex[] {
  return foreignKeys
    .filter((key) => !indexes.some((index) => leadsWith(index, key)))
    .map(({ table, columns }) => ({
      usedBy: `${table}.${columns.join()}`,
      create: createIndex({ table, method: 'btree', keys: columns, operators: '' }),
    }))
}

/** Filters, sorts and cursors without an index. Booleans are skipped, because an index does not help. */
export function unindexedLookups(app: App, orm: Orm, catalog: Catalog): MissingIndex[] {
  const missing = new Map<Index, MissingIndex>()
  for (const { parameter, index, isServedBy, isUnbounded } of listSearches(app, orm, catalog)) {
    if (isUnbounded || catalog.indexes.some(isServedBy)) continue
    const planned = [...missing.keys()].find(isServedBy) ?? index
    const others = missing.get(planned)?.usedBy
    missing.set(planned, { usedBy: others ? `${others}, ${parameter}` : parameter, create: createIndex(planned) })
  }
  return [...missing.values()]
}

/** Sorts by text columns of unlimited length, which cannot be indexed. */
export function unboundedSorts(app: App, orm: Orm, catalog: Catalog): string[] {
  const unbounded = listSearches(app, orm, catalog).filter(({ isUnbounded }) => isUnbounded)
  return unbounded.filter(({ isServedBy }) => !catalog.indexes.some(isServedBy)).map(({ parameter }) => parameter)
}

interface Search {
  readonly parameter: string
  readonly index: Index
  /** Whether the index would contain texts of unlimited length. */
  readonly isUnbounded: boolean
  isServedBy(index: Index): boolean
}

/** Returns sorts first, because filters can use their indexes. */
function listSearches(app: App, orm: Orm, catalog: Catalog): Search[] {
  const types = [...app.registry.types.values()].filter(
    ({ isStandalone, operations }) => !isStandalone && operations.has('FetchCollection'),
  )
  const searches = types.flatMap((type) => {
    const { tableName } = orm.getMetadata().get(type.entity)
    return type.lookups.map((lookup) => ({ lookup, search: toSearch(lookup, type, tableName, catalog) }))
  })
  const [orders = [], others = []] = [true, false].map((isOrder) =>
    searches.filter(({ lookup }) => (lookup.by === 'order') === isOrder),
  )
  return [...orders, ...others].flatMap(({ search }) => search ?? [])
}

/** Returns null if no index would help. */
function toSearch(lookup: Lookup, type: ResourceType, table: string, catalog: Catalog): Search | null {
  const { by, properties } = lookup
  const columns = properties.flatMap((property) => type.shape.properties.get(property)?.column ?? [])
  const [column = ''] = columns
  const category = catalog.categories.get(`${table}.${column}`)
  if (columns.length < properties.length || category === undefined) return null
  if (category === 'B' && by === 'value') return null
  const isUnbounded = columns.some((name) => catalog.unboundedTexts.has(`${table}.${name}`))
  const needed =
    by === 'start' || by === 'part'
      ? category === 'S' && textIndex(by, table, column, catalog)
      : category === 'A'
        ? { table, method: 'gin', keys: [column], operators: '' }
        : by === 'order'
          ? { table, method: 'btree', keys: ordered(columns, type), operators: '' }
          : { table, method: isUnbounded ? 'hash' : 'btree', keys: columns, operators: '' }
  if (!needed) return null
  return {
    parameter: `${type.name}?${lookup.parameter}`,
    index: needed,
    isUnbounded: isUnbounded && by === 'order',
    isServedBy: (index) => serves(by, index, needed, columns),
  }
}

/** Adds the primary key to an order. */
function ordered(columns: readonly string[], { shape }: ResourceType): readonly string[] {
  const key = shape.properties.get(shape.key)?.column ?? shape.key
  return columns.includes(key) ? columns : [...columns, key]
}

/** The store compares texts in lower case. A search for a part of a text needs the extension pg_trgm. */
function textIndex(by: 'start' | 'part', table: string, column: string, { hasTrigrams }: Catalog): Index | null {
  const keys = [`lower(${quote(column)}::text COLLATE "C")`]
  if (by === 'start') return { table, method: 'btree', keys, operators: '' }
  return hasTrigrams ? { table, method: 'gin', keys, operators: 'gin_trgm_ops' } : null
}

/** Whether an index serves the search. The index of a sort need not end with the primary key. */
function serves(by: Lookup['by'], index: Index, needed: Index, columns: readonly string[]): boolean {
  const isCaseInsensitive = needed.keys[0]?.startsWith('lower(') ?? false
  const keys = isCaseInsensitive ? needed.keys : columns
  return (
    index.table === needed.table &&
    (index.method === needed.method || (by === 'value' && ['hash', 'btree'].includes(index.method))) &&
    (needed.operators === '' || index.operators === needed.operators) &&
    keys.every((key, position) => normalizeKey(index.keys[position] ?? '') === normalizeKey(key))
  )
}

/** Normalizes an expression: removes quotes, casts and parentheses. */
export function normalizeKey(key: string): string {
  return key.replace(/::text|[()"]/g, '').toLowerCase()
}

/** Whether a query by the columns of the foreign key can use the index. */
export function leadsWith({ table, method, keys }: Index, key: ForeignKey): boolean {
  const first = keys.slice(0, key.columns.length).map(normalizeKey)
  return (
    table === key.table && method === 'btree' && key.columns.every((column) => first.includes(normalizeKey(column)))
  )
}

/** Uses the index name of MikroORM, so that an entity may declare the index later. */
export function createIndex({ table, method, keys, operators }: Index): string {
  const isCaseInsensitive = keys[0]?.startsWith('lower(') ?? false
  const name = isCaseInsensitive ? '' : `${quote(`${[table, ...keys].join('_')}_index`)} `
  const list = isCaseInsensitive ? `${keys[0]} ${operators}`.trimEnd() : keys.map(quote).join(', ')
  return `create index ${name}on ${quote(table)}${method === 'btree' ? '' : ` using ${method}`} (${list})`
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
