import type { Migration } from '@mikro-orm/migrations'
import { type Database, pendingMigrations, StartupError } from '#store'

interface Baseline {
  /** Pending migrations to mark as applied. */
  readonly existing: readonly string[]
  readonly left: readonly { readonly name: string; readonly reason: string }[]
}

/** Finds pending migrations whose tables all exist, or checks that the named ones are pending. */
export async function findBaseline(database: Database, names: readonly string[] = []): Promise<Baseline> {
  const pending = await pendingMigrations(database)
  if (names.length > 0) {
    const unknown = names.find((name) => !pending.includes(name))
    if (!unknown) return { existing: names, left: [] }
    throw new StartupError(`'${unknown}' is not a pending migration. Pending: ${pending.join(', ') || 'none'}.`)
  }
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

async function readTables({ orm }: Database): Promise<Set<string>> {
  const rows = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
    )
  return new Set(rows.map(({ name }) => name))
}
