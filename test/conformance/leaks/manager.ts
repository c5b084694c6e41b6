import type { EntityManager } from '@mikro-orm/core'
import type { App } from '#kernel/plugin'

type Row = Record<string, unknown>
type Manager = EntityManager & { getConnection(): { execute(sql: string): Promise<Row[]> } }

export async function readManager(app: App): Promise<Manager> {
  return app.store.read(async ({ em }) => em as Manager)
}

export async function execute(app: App, sql: string): Promise<Row[]> {
  return (await readManager(app)).getConnection().execute(sql)
}

/** Executes statements in one transaction, without triggers and foreign keys. */
export async function executeUnchecked(app: App, statements: readonly string[]): Promise<void> {
  const unchecked = "perform set_config('session_replication_role', 'replica', true)"
  await execute(app, `do $unchecked$ begin ${[unchecked, ...statements].join(';\n')}; end $unchecked$`)
}

/** A string literal of SQL. */
export function literal(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`
}
