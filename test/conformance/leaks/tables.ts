import type { ResourceType } from '#kernel'
import type { App } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { execute, executeUnchecked, literal } from './manager.ts'
import { computedKey, readTableKey, storedTypes } from './table-key.ts'

/** The rows of every table, each as JSON text, in order. */
export type Tables = ReadonlyMap<string, readonly string[]>

interface Known {
  /** The end of the write-ahead log before the rows were read: every change moves it. */
  readonly position: string
  /** The transactions and places of the rows by table: every change of a row changes them. */
  readonly versions: ReadonlyMap<string, string>
  readonly tables: Tables
}

/** The rows that were read last: most requests change none, and others those of a few tables. */
const known = new WeakMap<App, Known>()

/** Returns the rows of every table of the schema. Reads those of tables that were written since the last time. */
export async function readTables(app: App): Promise<Tables> {
  const last = known.get(app)
  const [end] = await execute(app, 'select pg_current_wal_insert_lsn()::text as position')
  const position = String(end?.position)
  if (last?.position === position) return last.tables
  const texts = await rowTexts(app)
  const versions = await readVersions(app, [...texts.keys()])
  const written = [...texts].filter(([name]) => !last || last.versions.get(name) !== versions.get(name))
  const tables: Tables = new Map([...(last?.tables ?? []), ...(await readRows(app, written))])
  known.set(app, { position, versions, tables })
  return tables
}

async function readVersions(app: App, names: readonly string[]): Promise<Map<string, string>> {
  const selects = names.map(
    (name) => `select ${literal(name)} as name, xmin, tableoid, ctid from ${quoteIdentifier(name)}`,
  )
  const found = await execute(
    app,
    `select name, string_agg(concat_ws(' ', xmin, tableoid, ctid), ',' order by tableoid, ctid) as version
     from (${selects.join(' union all ')}) rows group by name`,
  )
  return new Map(found.map(({ name, version }) => [String(name), String(version)]))
}

async function readRows(app: App, tables: readonly [name: string, text: string][]): Promise<Tables> {
  if (tables.length === 0) return new Map()
  const selects = tables.map(
    ([name, text]) => `select ${literal(name)} as name, ${text} as row from ${quoteIdentifier(name)} t`,
  )
  const found = await execute(
    app,
    `select name, json_agg(row order by row)::text as rows from (${selects.join(' union all ')}) rows group by name`,
  )
  const rows = new Map(found.map(({ name, rows }) => [String(name), JSON.parse(String(rows)) as string[]]))
  return new Map(tables.map(([name]) => [name, rows.get(name) ?? []]))
}

/** Returns the tables whose rows differ. */
export function changedTables(before: Tables, after: Tables): readonly string[] {
  return [...before.keys()].filter((name) => before.get(name)?.join('\n') !== after.get(name)?.join('\n'))
}

/** Restores the rows of the named tables with one statement, without constraints and triggers. */
export async function restoreTables(app: App, tables: Tables, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const columns = await storedColumns(app)
  const statements = names.flatMap((name) => {
    const list = (columns.get(name) ?? []).map(quoteIdentifier).join(', ')
    const json = `$json$[${tables.get(name)?.join(',') ?? ''}]$json$`
    const rows = `select ${list} from jsonb_populate_recordset(null::${quoteIdentifier(name)}, ${json})`
    return [
      `delete from ${quoteIdentifier(name)}`,
      `insert into ${quoteIdentifier(name)} (${list}) overriding system value ${rows}`,
    ]
  })
  await executeUnchecked(app, statements)
}

/** Runs the callback, and restores the tables. */
export async function withRestoredTables<T>(app: App, callback: () => Promise<T>): Promise<T> {
  const before = await readTables(app)
  try {
    return await callback()
  } finally {
    await restoreTables(app, before, changedTables(before, await readTables(app)))
  }
}

const expressions = new WeakMap<App, ReadonlyMap<string, string>>()

/** Returns the SQL of a row as JSON for every table, with the computed key of a type. */
async function rowTexts(app: App): Promise<ReadonlyMap<string, string>> {
  const cached = expressions.get(app)
  if (cached) return cached
  const found = await execute(
    app,
    `select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
       and relname <> 'mikro_orm_migrations'
     order by 1`,
  )
  const texts = new Map(found.map(({ name }) => [String(name), 'to_jsonb(t)::text']))
  for (const type of storedTypes(app)) {
    const { table, column, key } = await readTableKey(app, type)
    if (column !== computedKey || !texts.has(table)) continue
    texts.set(table, `(to_jsonb(t) || jsonb_build_object(${literal(column)}, ${key}))::text`)
  }
  expressions.set(app, texts)
  return texts
}

/** Whether the rows of a type are those of a view, which is not in `readTables`. */
export async function isView(app: App, type: ResourceType): Promise<boolean> {
  return !(await rowTexts(app)).has((await readTableKey(app, type)).table)
}

const columnsOf = new WeakMap<App, ReadonlyMap<string, readonly string[]>>()

/** Returns the columns of every table that are not generated. */
async function storedColumns(app: App): Promise<ReadonlyMap<string, readonly string[]>> {
  const cached = columnsOf.get(app)
  if (cached) return cached
  const found = await execute(
    app,
    `select r.relname as name, a.attname as column from pg_attribute a join pg_class r on r.oid = a.attrelid
     where r.relkind in ('r', 'p') and r.relnamespace = current_schema()::regnamespace
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
  )
  const groups = Object.entries(Object.groupBy(found, ({ name }) => String(name)))
  const columns = new Map(groups.map(([name, rows = []]) => [name, rows.map(({ column }) => String(column))]))
  columnsOf.set(app, columns)
  return columns
}
