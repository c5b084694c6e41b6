import type { ResourceType } from '#kernel'
import type { App, Lookup } from '#kernel/plugin'
import type { Orm } from '#store'
import type { Catalog, ForeignKey, Index } from './catalog.ts'

/** A search that reads a whole table, and what would mend it. */
export interface MissingIndex {
  /** `albums?sort=title`, or the columns of a foreign key. */
  readonly asked: string
  readonly create: string
}

/** Without them, removing a row and following a relation backwards read the whole other table. */
export function unindexedKeys({ foreignKeys, indexes }: Catalog): MissingIndex[] {
  return foreignKeys
    .filter((key) => !indexes.some((index) => leadsWith(index, key)))
    .map(({ table, columns }) => ({
      asked: `${table}.${columns.join()}`,
      create: createIndex({ table, method: 'btree', keys: columns, operators: '' }),
    }))
}

/** Filters, sorts and cursors of the types that are kept in tables. Either value of a boolean is found without. */
export function unindexedLookups(app: App, orm: Orm, catalog: Catalog): MissingIndex[] {
  const missing = new Map<Index, MissingIndex>()
  for (const { asked, wanted, isMet, isEndless } of searchesOf(app, orm, catalog)) {
    if (isEndless || catalog.indexes.some(isMet)) continue
    const planned = [...missing.keys()].find(isMet) ?? wanted
    const others = missing.get(planned)?.asked
    missing.set(planned, { asked: others ? `${others}, ${asked}` : asked, create: createIndex(planned) })
  }
  return [...missing.values()]
}

/** Sorts that no index can serve, unless their text is given a length. */
export function endlessSorts(app: App, orm: Orm, catalog: Catalog): string[] {
  const endless = searchesOf(app, orm, catalog).filter(({ isEndless }) => isEndless)
  return endless.filter(({ isMet }) => !catalog.indexes.some(isMet)).map(({ asked }) => asked)
}

interface Search {
  readonly asked: string
  readonly wanted: Index
  /** It would have to hold texts of any length in their order. */
  readonly isEndless: boolean
  isMet(index: Index): boolean
}

/** Orders first: their indexes serve others as well. */
function searchesOf(app: App, orm: Orm, catalog: Catalog): Search[] {
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

/** Null when no index would help, or there is none of the kind. */
function toSearch(lookup: Lookup, type: ResourceType, table: string, catalog: Catalog): Search | null {
  const { by, properties } = lookup
  const columns = properties.flatMap((property) => type.shape.properties.get(property)?.column ?? [])
  const [column = ''] = columns
  const category = catalog.categories.get(`${table}.${column}`)
  if (columns.length < properties.length || category === undefined) return null
  if (category === 'B' && by === 'value') return null
  const isEndless = columns.some((name) => catalog.endless.has(`${table}.${name}`))
  const wanted =
    by === 'start' || by === 'part'
      ? category === 'S' && textIndex(by, table, column, catalog)
      : category === 'A'
        ? { table, method: 'gin', keys: [column], operators: '' }
        : by === 'order'
          ? { table, method: 'btree', keys: ordered(columns, type), operators: '' }
          : { table, method: isEndless ? 'hash' : 'btree', keys: columns, operators: '' }
  if (!wanted) return null
  return {
    asked: `${type.name}?${lookup.asked}`,
    wanted,
    isEndless: isEndless && by === 'order',
    isMet: (index) => serves(by, index, wanted, columns),
  }
}

/** Rows that are alike stand in the order of their keys. */
function ordered(columns: readonly string[], { shape }: ResourceType): readonly string[] {
  const key = shape.properties.get(shape.key)?.column ?? shape.key
  return columns.includes(key) ? columns : [...columns, key]
}

/** The store compares texts in small letters; parts of them are found with the extension pg_trgm only. */
function textIndex(by: 'start' | 'part', table: string, column: string, { hasTrigrams }: Catalog): Index | null {
  const keys = [`lower(${quote(column)}::text COLLATE "C")`]
  if (by === 'start') return { table, method: 'btree', keys, operators: '' }
  return hasTrigrams ? { table, method: 'gin', keys, operators: 'gin_trgm_ops' } : null
}

/** What stands behind the columns of an order, to tell like rows apart, may be missing. */
function serves(by: Lookup['by'], index: Index, wanted: Index, columns: readonly string[]): boolean {
  const isText = wanted.keys[0]?.startsWith('lower(') ?? false
  const needed = isText ? wanted.keys : columns
  return (
    index.table === wanted.table &&
    (index.method === wanted.method || (by === 'value' && ['hash', 'btree'].includes(index.method))) &&
    (wanted.operators === '' || index.operators === wanted.operators) &&
    needed.every((key, place) => plain(index.keys[place] ?? '') === plain(key))
  )
}

/** As an expression was written and as the database repeats it: quotes, casts and brackets are left out. */
function plain(key: string): string {
  return key.replace(/::text|[()"]/g, '').toLowerCase()
}

function leadsWith({ table, method, keys }: Index, key: ForeignKey): boolean {
  const first = keys.slice(0, key.columns.length).map(plain)
  return table === key.table && method === 'btree' && key.columns.every((column) => first.includes(plain(column)))
}

/** Under the name that MikroORM would give it, so that an entity may declare it afterwards. */
function createIndex({ table, method, keys, operators }: Index): string {
  const isText = keys[0]?.startsWith('lower(') ?? false
  const name = isText ? '' : `${quote(`${[table, ...keys].join('_')}_index`)} `
  const list = isText ? `${keys[0]} ${operators}`.trimEnd() : keys.map(quote).join(', ')
  return `create index ${name}on ${quote(table)}${method === 'btree' ? '' : ` using ${method}`} (${list})`
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
