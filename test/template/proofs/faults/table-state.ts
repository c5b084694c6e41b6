import type { FaultInjector } from './faults.ts'

/** Generated keys begin here, so that they can be told apart from the keys of the fixture. */
const firstKey = 900_000

type Query = FaultInjector['query']

/** All rows of all tables, and how to restore them. */
export interface TableState {
  /** The rows as sorted lines. Generated keys and times are masked. */
  read(): Promise<string>
  restore(): Promise<void>
}

/** Copies the rows of all tables, so that they can be restored. */
export async function copyTables(query: Query): Promise<TableState> {
  const found = await query(
    `select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'mikro_orm%' order by 1`,
  )
  const tables = found.map(({ name }) => `"${name}"`)
  await query('drop schema if exists copies cascade; create schema copies')
  for (const table of tables) await query(`create table copies.${table} as table public.${table}`)
  const lines = tables
    .map((table) => `select '${table} ' || t::text as line from public.${table} t`)
    .join(' union all ')
  const replaced = tables.map(
    (table) => `delete from public.${table}; insert into public.${table} select * from copies.${table};`,
  )
  const sequences = `select setval(format('%I.%I', schemaname, sequencename)::regclass, ${firstKey})
    from pg_sequences where schemaname = 'public'`
  return {
    async read() {
      const rows = await query(lines)
      return rows
        .map(({ line }) => masked(String(line)))
        .toSorted()
        .join('\n')
    },
    async restore() {
      // Without foreign keys: the order of the tables does not matter.
      await query(
        `begin; set local session_replication_role = replica; ${replaced.join(' ')} ${sequences}; commit; select 1`,
      )
    },
  }
}

/** Masks generated keys, entity tags and times: they differ from run to run. Times first: a fraction may look like a key. */
export function masked(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d(:\d\d)?|Z)?/g, '<time>')
    .replace(/\b9000\d\d\b/g, '<key>')
    .replace(/(etag\W+(W\/)?\W*)[\w/+-]+/gi, '$1<tag>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[1-9a-f][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) =>
      id.startsWith('00000000') ? id : '<uuid>',
    )
}
