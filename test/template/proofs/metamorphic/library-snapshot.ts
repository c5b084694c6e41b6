import { vacuum } from '#test/support/database.ts'
import { libraryRows } from '#test/template/specification/library-rows.ts'
import { libraryDatabase, libraryTables } from '#test/template/support/library/index.ts'

/** Restores the rows of `libraryRows`. */
export async function restoreLibrary(): Promise<void> {
  await execute('call restore_library()')
  await vacuum((await libraryDatabase()).orm.em.fork(), libraryTables)
}

/** Returns all rows of the library as text. */
export async function readLibrary(): Promise<string> {
  const [row] = await execute('select read_library()::text as rows')
  return row?.rows as string
}

/** Creates the procedures. The database keeps the plans of their statements: planning took half of the time of a case. */
export async function createLibraryProcedures(): Promise<void> {
  const deletes = libraryTables.toReversed().map((table) => `delete from ${table}`) // rows that refer to others first
  const inserts = libraryRows.map((statement) => statement.replace(/^select/, 'perform'))
  const statements = [`lock table ${libraryTables.join(', ')}`, ...deletes, ...inserts].join(';\n')
  const rows = libraryTables.map((table) => `select '${table}' as name, to_jsonb(t) as row from ${table} t`)
  await execute(`create or replace procedure restore_library() language plpgsql as $$ begin ${statements}; end $$`)
  await execute(`create or replace function read_library() returns jsonb language plpgsql as $$ begin
    return (select jsonb_agg(to_jsonb(stored) order by name, row::text) from (${rows.join(' union all ')}) stored);
    end $$`)
}

async function execute(sql: string): Promise<Record<string, unknown>[]> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql)
}
