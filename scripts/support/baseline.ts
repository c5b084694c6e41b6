import type { Migration } from '@mikro-orm/migrations'
import { type Database, pendingMigrations, StartupError } from '#store'

interface Baseline {
  /** Pending migrations to mark as applied. */
  readonly existing: readonly string[]
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

/**
 * Finds pending migrations whose tables all exist, or checks that the named ones are pending. Throws a StartupError if a table of a
 * plugin has other columns.
 */
export async function findBaseline(database: Database, names: readonly string[] = []): Promise<Baseline> {
  const pending = await pendingMigrations(database)
  const unknown = names.find((name) => !pending.includes(name))
  if (unknown)
    throw new StartupError(`'${unknown}' is not a pending migration. Pending: ${pending.join(', ') || 'none'}.`)
  await checkPluginTables(database, names.length > 0 ? names : pending)
  if (names.length > 0) return { existing: names, left: [] }
  const tables = await readTables(database)
  const existing: string[] = []
  const left: { name: string; reason: string }[] = []
  const createdBy = await createdTables(database)
  for (const name of pending) {
    const created = createdBy.get(name) ?? []
    const missing = created.filter((table) => !tables.has(table))
    if (created.length > 0 && missing.length === 0) existing.push(name)
    else if (created.length === 0) left.push({ name, reason: 'it creates no table; name it to mark it' })
    else if (missing.length === created.length)
      left.push({ name, reason: `${describeTables(missing)} not in the database` })
    else throw new StartupError(partly(name, created, missing))
  }
  return { existing, left }
}

function partly(name: string, created: readonly string[], missing: readonly string[]): string {
  const found = created.filter((table) => !missing.includes(table))
  return (
    `${name} creates ${created.length} tables, of which the database has ${found.join(', ')} but not ${missing.join(', ')}. ` +
    `Split it, or mark it with npm run migrate -- baseline ${name}.`
  )
}

function describeTables(tables: readonly string[]): string {
  return `${tables.length === 1 ? 'its table' : 'its tables'} ${tables.join(', ')} ${tables.length === 1 ? 'is' : 'are'}`
}

/** Throws a StartupError if the database has a table that a named migration of a plugin creates, with other columns. */
export async function checkPluginTables(database: Database, names: readonly string[]): Promise<void> {
  const found = [...(await migrationStatements(database))].filter(
    ([name]) => names.includes(name) && name.includes('/'),
  )
  const created = found.flatMap(([name, statements]) =>
    statements.map((sql) => ({
      plugin: name.split('/')[0] as string,
      table: tableIn(sql)[0],
      columns: columnsIn(sql),
    })),
  )
  const stored = await readColumns(database)
  const faults = created.flatMap(({ plugin, table = '', columns }) => {
    const missing = columns.filter((column) => stored.has(table) && !stored.get(table)?.includes(column))
    return missing.length > 0 ? [foreignTable(table, plugin, missing)] : []
  })
  if (faults.length > 0) throw new StartupError(faults.join('\n'))
}

function foreignTable(table: string, plugin: string, missing: readonly string[]): string {
  return (
    `The table ${table} lacks the columns ${missing.join(', ')} of the table that the plugin ${plugin} creates under this name: ` +
    `another program uses it. Remove the plugin with npm run plugin -- remove ${plugin}, or rename the table.`
  )
}

/** The tables and views that the migrations create, by migration. Empty if a migration needs the database to make its statements. */
async function createdTables(database: Database): Promise<Map<string, string[]>> {
  const found = await migrationStatements(database)
  return new Map([...found].map(([name, statements]) => [name, statements.flatMap(tableIn)]))
}

/** The statements of all migrations, by migration. Empty if a migration needs the database to make them. */
export async function migrationStatements({ orm }: Database): Promise<Map<string, string[]>> {
  const list = orm.config.get('migrations').migrationsList as unknown as { name: string; class: typeof Recorded }[]
  const driver = withoutDatabase(orm.em.getDriver())
  const found = new Map<string, string[]>()
  for (const { name, class: type } of list) found.set(name, await collectStatements(new type(driver, orm.config)))
  return found
}

async function collectStatements(migration: Recorded): Promise<string[]> {
  try {
    await migration.up()
  } catch (error) {
    if (error instanceof NoDatabase) return []
    throw error
  }
  return migration.getQueries().filter((query) => typeof query === 'string')
}

const creation =
  /^\s*create (table|(?:materialized )?view|type|domain|sequence) (?:if not exists )?(?:"((?:[^"]|"")+)"|([\w.]+))/i

/** What a statement creates, as `type order_status`; tables and views are `table`, domains `type`. Otherwise the statement. */
export function createdObject(sql: string): string {
  const [, kind = '', quoted, plain] = creation.exec(sql) ?? []
  const name = quoted?.replaceAll('""', '"') ?? plain?.split('.').at(-1)?.toLowerCase()
  if (!name) return sql
  return `${/view/i.test(kind) ? 'table' : /domain/i.test(kind) ? 'type' : kind.toLowerCase()} ${name}`
}

function tableIn(sql: string): string[] {
  const object = createdObject(sql)
  return object !== sql && object.startsWith('table ') ? [object.slice('table '.length)] : []
}

/** Starts the list of columns of a table that is not a partition. */
const columnList = /^\s*create table (?:if not exists )?(?:"(?:[^"]|"")+"|[\w.]+)\s*\(/i

const listToken = /"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]|[^"'(),]+/g

/** The columns that a statement lists which creates a table. Empty for other statements. */
function columnsIn(sql: string): string[] {
  const [start] = columnList.exec(sql) ?? []
  if (!start) return []
  const items = ['']
  let depth = 0
  for (const [token] of sql.slice(start.length).matchAll(listToken)) {
    if (token === ')' && depth === 0) break
    if (token === '(') depth++
    else if (token === ')') depth--
    else if (token === ',' && depth === 0) items.push('')
    else if (depth === 0) items[items.length - 1] += token
  }
  return items.flatMap((item) => {
    const [, quoted, plain = ''] = /^\s*(?:"((?:[^"]|"")+)"|(\w+))/.exec(item) ?? []
    if (quoted) return [quoted.replaceAll('""', '"')]
    return /^(?:constraint|primary|unique|foreign|check|exclude|like|)$/i.test(plain) ? [] : [plain.toLowerCase()]
  })
}

class NoDatabase extends Error {}

/** A driver that sends no statement: a migration with its own statements must not run here. */
function withoutDatabase(driver: object): never {
  const refuse = () => {
    throw new NoDatabase('The migration sends statements itself.')
  }
  const methods = ['execute', 'getConnection', 'createEntityManager'].map((name) => [name, { value: refuse }])
  return Object.create(driver, Object.fromEntries(methods)) as never
}

/** A migration that can be constructed. */
declare class Recorded extends Migration {
  override up(): void
}

async function readTables(database: Database): Promise<Set<string>> {
  return new Set((await readColumns(database)).keys())
}

/** The columns of tables and views, by name. */
async function readColumns({ orm }: Database): Promise<Map<string, string[]>> {
  const rows = await orm.em.fork().execute<{ name: string; columns: string[] }[]>(
    `select relname as name, to_json(array(select attname from pg_attribute where attrelid = c.oid and attnum > 0)) as columns
      from pg_class c where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
