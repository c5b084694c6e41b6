import type { App, ResourceType, Unit } from '#kernel/plugin'
import { mergeRecords } from './merge-records.ts'
import { type TableRecord, tableRecords } from './table-records.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Resolves when the triggers record what the declarations say. Null after a failed attempt. */
    changeTriggers?: Promise<void> | null
    /** Checks the triggers at an interval. */
    changeTriggerChecks?: NodeJS.Timeout
  }
}

const name = 'change_log_record'

/** Seconds between two checks of a process. */
const checkInterval = 3_600
/** A declaration is written again if it is older: at least by each second check. */
const recently = `interval '${checkInterval / 2} seconds'`
/** What a version declares is recorded for this time after the last check of its last process. */
const grace = `interval '1 day'`

/** The triggers of this function, with the schema and the name of their tables; without the copies on partitions. */
const installedTriggers = `select quote_ident(n.nspname) as schema, quote_ident(c.relname) as table,
    n.nspname = current_schema() as "isCurrent", encode(t.tgargs, 'hex') as args
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where t.tgparentid = 0 and t.tgname = '${name}' and t.tgfoid = (select oid from pg_proc where proname = '${name}'
    and pronamespace = current_schema()::regnamespace)`

/** What the running versions of the application record. The newest version is the first one. */
const declaredRecords = `select d.table_name as table, d.record, d.declared_at > now() - ${recently} as "isRecent",
    exists (select from pg_class c where c.oid = to_regclass(d.table_name) and c.relkind in ('r', 'p')) as "isTable"
  from change_declarations d where d.declared_at > now() - ${grace} order by d.first_declared_at desc, md5(d.record)`

/** One statement, so that a start sends no more if nothing has changed. */
const readTriggers = `select (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from (${installedTriggers}) i)::text as installed,
  (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from (${declaredRecords}) d)::text as declared`

interface InstalledTrigger {
  readonly schema: string
  readonly table: string
  readonly isCurrent: boolean
  readonly args: string
}

interface DeclaredRecord {
  readonly table: string
  readonly record: string
  /** Whether a process has declared it a short time ago. */
  readonly isRecent: boolean
  /** Whether the table exists. That of an older version may have been dropped. */
  readonly isTable: boolean
}

/** The arguments of triggers by table. */
type Records = ReadonlyMap<string, string>

/** The types of an application whose changes are recorded. */
export function recordedTypes({ registry }: Pick<App, 'registry'>): readonly ResourceType[] {
  return [...registry.types.values()].filter(({ declaration }) => declaration.changes)
}

/** The names of the types with `history: true` of this version, and of others that run. */
export async function historyTypes(app: App): Promise<ReadonlySet<string>> {
  const rows = await app.store.query(declaredHistories)
  const own = recordedTypes(app).filter(({ declaration }) => declaration.history)
  return new Set([...own.map(({ name }) => name), ...rows.map(({ type }) => type as string)])
}

const declaredHistories = `select distinct r ->> 'type' as type
  from change_declarations d, jsonb_array_elements(d.record::jsonb -> 'rows') r
  where d.declared_at > now() - ${grace} and r -> 'kept' is not null`

/**
 * Makes the triggers record what this and other running versions declare. Sends one statement if they do. A failed attempt is
 * repeated by the next call.
 */
export function ensureTriggers(app: App): Promise<void> {
  app.changeTriggers ??= app.store
    .write((unit) => installTriggers(app, unit))
    .catch((error) => {
      app.changeTriggers = null
      throw error
    })
  return app.changeTriggers
}

/** Checks the triggers at an interval, because another version or an operator may have dropped some. */
export function startTriggerChecks(app: App): void {
  app.changeTriggerChecks = setInterval(() => void checkTriggers(app), checkInterval * 1_000).unref()
}

export function stopTriggerChecks({ changeTriggerChecks }: App): void {
  clearInterval(changeTriggerChecks)
}

/** Writes go on during the check. After a failure they repeat it. */
export async function checkTriggers(app: App): Promise<void> {
  try {
    await app.store.write((unit) => installTriggers(app, unit))
  } catch (error) {
    app.changeTriggers = null
    app.logger?.warn({ err: error }, 'The triggers of the change log cannot be checked; the next write checks them.')
  }
}

async function installTriggers(app: App, unit: Unit): Promise<void> {
  const own: Records = new Map(
    [...tableRecords(recordedTypes(app))].map(([table, record]) => [table, JSON.stringify(record)]),
  )
  const { installed, declared } = await readState(unit)
  if (includesAll(declared, own) && differences(wantedRecords(declared, own), installed).length === 0) return
  await unit.run(`select pg_advisory_xact_lock(hashtext('${name}'))`, [])
  await declare(own, unit)
  const state = await readState(unit)
  const statements = differences(wantedRecords(state.declared, own), state.installed)
  for (const statement of statements) await unit.run(statement, [])
}

async function readState(unit: Unit) {
  const [row] = await unit.run(readTriggers, [])
  const triggers: readonly InstalledTrigger[] = JSON.parse(row?.installed as string)
  const declared: readonly DeclaredRecord[] = JSON.parse(row?.declared as string)
  return { installed: new Map(triggers.map(readTrigger)), declared }
}

function readTrigger({ schema, table, isCurrent, args }: InstalledTrigger): [table: string, record: string] {
  return [
    isCurrent ? table.replace(/^[^"].*$/, '"$&"') : `${schema}.${table}`,
    Buffer.from(args, 'hex').toString('utf8').split('\0')[0] as string,
  ]
}

/** Whether the records of this version were declared a short time ago. */
function includesAll(declared: readonly DeclaredRecord[], own: Records): boolean {
  const isDeclared = ([table, record]: readonly [string, string]) =>
    declared.some((one) => one.table === table && one.record === record && one.isRecent)
  return [...own].every(isDeclared)
}

/** The records of this version and of the others that run. */
function wantedRecords(declared: readonly DeclaredRecord[], own: Records): Records {
  const shown = declared.filter(({ table, isTable }) => isTable || own.has(table))
  const byTable = Map.groupBy(shown, ({ table }) => table)
  return new Map(
    [...byTable].map(([table, records]) => [
      table,
      JSON.stringify(mergeRecords(records.map(({ record }): TableRecord => JSON.parse(record)))),
    ]),
  )
}

/** Declares the records of this version, and forgets those of versions that do not run any more. */
async function declare(own: Records, unit: Unit): Promise<void> {
  await unit.run(`delete from change_declarations where declared_at <= now() - ${grace}`, [])
  await unit.run(
    `insert into change_declarations (table_name, record) select d.key, d.value from jsonb_each_text($1::jsonb) d
     on conflict (table_name, md5(record)) do update set declared_at = now()`,
    [JSON.stringify(Object.fromEntries(own))],
  )
}

/** The statements that create missing triggers, replace others and drop superfluous ones. */
function differences(wanted: Records, existing: Records): string[] {
  const statements: string[] = []
  for (const table of existing.keys()) if (!wanted.has(table)) statements.push(`drop trigger ${name} on ${table}`)
  for (const [table, record] of wanted) {
    if (existing.get(table) === record) continue
    statements.push(`create or replace trigger ${name} after insert or update or delete on ${table}
      for each row execute function ${name}('${record.replaceAll("'", "''")}')`)
  }
  return statements
}
