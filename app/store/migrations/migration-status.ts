import { StartupError } from '../connection/startup-error.ts'
import type { Database, DatabaseOptions } from '../connection/types.ts'
import { quoteIdentifier } from '../sql/columns/column-sql.ts'

type Opened = Pick<Database, 'orm'>
type ListedMigration = Pick<DatabaseOptions['migrations'][number], 'name' | 'file'>

interface ExecutedMigration {
  readonly name: string
  readonly executedAt: Date
}

/** The migrations of the resources and plugins, in their order. */
export function listedMigrations({ orm }: Opened): readonly ListedMigration[] {
  return orm.config.get('migrations').migrationsList as unknown as ListedMigration[]
}

/** Returns the names of migrations that are not applied. Creates no table. */
export async function pendingMigrations(database: Opened): Promise<string[]> {
  const executed = new Set((await executedMigrations(database)).map(({ name }) => name))
  return listedMigrations(database).flatMap(({ name }) => (executed.has(name) ? [] : name))
}

/** Returns the applied migrations in their order. Creates no table. Throws a StartupError if the table is another program's. */
export async function executedMigrations({ orm }: Opened): Promise<ExecutedMigration[]> {
  const { schema, name } = migrationsTable(orm)
  try {
    const text = `select name, executed_at as "executedAt" from ${quoteIdentifier(schema)}.${quoteIdentifier(name)} order by id`
    const rows = await orm.em.fork().execute<{ name: string; executedAt: string }[]>(text)
    return rows.map((row) => ({ name: row.name, executedAt: new Date(row.executedAt) }))
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === '42P01') return [] // the table does not exist
    if (code === '42703') await checkTable({ orm }) // a column does not exist
    throw error
  }
}

/** Throws a StartupError if another program uses the table of the applied migrations. */
export async function checkTable(database: Opened): Promise<void> {
  const fault = await findTableFault(database)
  if (fault) throw new StartupError(fault)
}

/** Returns a sentence if another program uses a table of this name for its migrations, otherwise null. */
export async function findTableFault({ orm }: Opened): Promise<string | null> {
  const { schema, name } = migrationsTable(orm)
  const columns = await orm.em
    .fork()
    .execute<{ name: string }[]>(
      'select column_name as name from information_schema.columns where table_schema = ? and table_name = ?',
      [schema, name],
    )
  const names = columns.map((column) => column.name)
  if (names.length === 0 || (names.includes('name') && names.includes('executed_at'))) return null
  return (
    `The table ${schema}.${name} has the columns ${names.join(', ')}: another program uses it for its migrations. ` +
    'Set MIGRATIONS_TABLE to another name.'
  )
}

function migrationsTable(orm: Database['orm']): { schema: string; name: string } {
  const { tableName = 'migrations' } = orm.config.get('migrations')
  return { schema: orm.em.getPlatform().getDefaultSchemaName() ?? 'public', name: tableName }
}
