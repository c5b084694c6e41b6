import type { EntityManager } from '@mikro-orm/core'
import type { App } from '#kernel/plugin'

/** The rows of every table, each as JSON text, in order. */
export type Tables = ReadonlyMap<string, readonly string[]>

type Row = Record<string, unknown>

/** Reads every table of the schema with one statement. */
export async function readTables(app: App): Promise<Tables> {
  const names = await tableNames(app)
  const text = 'to_jsonb(t)::text'
  const selects = names.map(
    (name) => `select '${name}' as name, (select json_agg(${text} order by ${text}) from "${name}" t)::text as rows`,
  )
  const found = await execute(app, selects.join(' union all '))
  return new Map(found.map(({ name, rows }) => [String(name), rows === null ? [] : JSON.parse(String(rows))]))
}

/** Returns the tables whose rows differ. */
export function changedTables(before: Tables, after: Tables): readonly string[] {
  return [...before.keys()].filter((name) => before.get(name)?.join('\n') !== after.get(name)?.join('\n'))
}

/** Restores the rows of the named tables with one statement, without constraints and triggers. */
export async function restoreTables(app: App, tables: Tables, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  const columns = await storedColumns(app)
  const statements = names.map((name) => {
    const list = (columns.get(name) ?? []).map((column) => `"${column}"`).join(', ')
    const json = `$json$[${tables.get(name)?.join(',') ?? ''}]$json$`
    const rows = `select ${list} from jsonb_populate_recordset(null::"${name}", ${json})`
    return `delete from "${name}"; insert into "${name}" (${list}) overriding system value ${rows};`
  })
  const unchecked = "perform set_config('session_replication_role', 'replica', true);"
  await execute(app, `do $restore$ begin ${unchecked} ${statements.join('\n')} end $restore$`)
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

export async function execute(app: App, sql: string): Promise<Row[]> {
  return (await managerOf(app)).getConnection().execute(sql)
}

type Manager = EntityManager & { getConnection(): { execute(sql: string): Promise<Row[]> } }

export async function managerOf(app: App): Promise<Manager> {
  return app.store.read(async ({ em }) => em as Manager)
}

const names = new WeakMap<App, readonly string[]>()

async function tableNames(app: App): Promise<readonly string[]> {
  const cached = names.get(app)
  if (cached) return cached
  const found = await execute(
    app,
    `select relname as name from pg_class
     where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'mikro_orm_migrations'
     order by 1`,
  )
  names.set(
    app,
    found.map(({ name }) => String(name)),
  )
  return names.get(app) as readonly string[]
}

const columnsOf = new WeakMap<App, ReadonlyMap<string, readonly string[]>>()

/** Returns the columns of every table that are not generated. */
async function storedColumns(app: App): Promise<ReadonlyMap<string, readonly string[]>> {
  const cached = columnsOf.get(app)
  if (cached) return cached
  const found = await execute(
    app,
    `select r.relname as name, a.attname as column from pg_attribute a join pg_class r on r.oid = a.attrelid
     where r.relkind = 'r' and r.relnamespace = current_schema()::regnamespace
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
  )
  const groups = Object.entries(Object.groupBy(found, ({ name }) => String(name)))
  const columns = new Map(groups.map(([name, rows = []]) => [name, rows.map(({ column }) => String(column))]))
  columnsOf.set(app, columns)
  return columns
}
