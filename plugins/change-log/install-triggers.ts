import { setTimeout } from 'node:timers/promises'
import type { App, ResourceType, Unit } from '#kernel/plugin'
import { mergeRecords } from './merge-records.ts'
import { type TableRecord, tableRecords } from './table-records.ts'
import { toTriggerArgument } from './trigger-argument.ts'

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

const lockTriggers = `select pg_advisory_xact_lock(hashtext('${name}'))`
/** Milliseconds for which a change of a trigger waits for the lock of its table. Writers of the table wait behind it. */
const lockTime = 500
/** The SQLSTATE after that time. */
const lockNotAvailable = '55P03'
/** Seconds between two attempts, at most. */
const longestPause = 30

/** The triggers of this function, with their tables; without the copies on partitions. */
const installedTriggers = `select t.tgrelid::bigint as id, t.tgrelid::regclass::text as table, encode(t.tgargs, 'hex') as args
  from pg_trigger t
  where t.tgparentid = 0 and t.tgname = '${name}' and t.tgfoid = (select oid from pg_proc where proname = '${name}'
    and pronamespace = current_schema()::regnamespace)`

/** What the running versions of the application record. The newest version is the first one. */
const declaredRecords = `select d.table_name as table, d.record, d.declared_at > now() - ${recently} as "isRecent", (
    select c.oid::bigint from pg_class c where c.oid = to_regclass(d.table_name) and c.relkind in ('r', 'p')
  ) as id from change_declarations d where d.declared_at > now() - ${grace} order by d.first_declared_at desc, md5(d.record)`

/** One statement, so that a start sends no more if nothing has changed. */
const readTriggers = `select (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from (${installedTriggers}) i)::text as installed,
  (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from (${declaredRecords}) d)::text as declared`

/** A table has several names: with its schema, and without it if the search_path finds it. */
interface InstalledTrigger {
  /** The object id of the table. */
  readonly id: number
  readonly table: string
  readonly args: string
}

interface DeclaredRecord {
  /** The object id of the table. Null if it does not exist: that of an older version may have been dropped. */
  readonly id: number | null
  readonly table: string
  readonly record: string
  /** Whether a process has declared it a short time ago. */
  readonly isRecent: boolean
}

/** The arguments of triggers by the names of their tables. */
type Records = ReadonlyMap<string, string>

/** The arguments of triggers by the ids of their tables, or by their names if the tables do not exist. */
type Triggers = ReadonlyMap<number | string, { readonly table: string; readonly record: string }>

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

/** Another transaction writes tables whose triggers are missing. */
class TablesLocked extends Error {
  constructor(tables: readonly string[]) {
    super(`Another transaction keeps a lock of ${tables.join(', ')}, so that its trigger cannot be created.`)
  }
}

/**
 * Makes the triggers record what this and other running versions declare. Sends one statement if they do. Resolves when locked
 * tables have their triggers, too. A failed attempt is repeated by the next call.
 */
export function ensureTriggers(app: App): Promise<void> {
  app.changeTriggers ??= installWithRetries(app).catch((error) => {
    app.changeTriggers = null
    throw error
  })
  return app.changeTriggers
}

/** Ensures the triggers. A locked table does not delay the start of the application: only the writes wait for it. */
export async function startTriggers(app: App): Promise<void> {
  try {
    await installTriggers(app)
    app.changeTriggers ??= Promise.resolve()
  } catch (error) {
    if (!(error instanceof TablesLocked)) throw error
    void ensureTriggers(app).catch((cause) => app.logger?.warn({ err: cause }, notChecked))
  }
  app.changeTriggerChecks = setInterval(() => void checkTriggers(app), checkInterval * 1_000).unref()
}

export function stopTriggerChecks({ changeTriggerChecks }: App): void {
  clearInterval(changeTriggerChecks)
}

const notChecked = 'The triggers of the change log cannot be checked; the next write checks them.'

/** Another version or an operator may have dropped triggers. Writes go on during the check. After a failure they repeat it. */
export async function checkTriggers(app: App): Promise<void> {
  try {
    await installTriggers(app)
  } catch (error) {
    app.changeTriggers = null
    app.logger?.warn({ err: error }, notChecked)
  }
}

const notCreated =
  'The change log has no trigger of a table yet; writes of recorded types wait, and the next attempt follows.'

async function installWithRetries(app: App): Promise<void> {
  for (let pause = 1; ; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await installTriggers(app)
    } catch (error) {
      if (!(error instanceof TablesLocked) || app.stopping.aborted) throw error
      app.logger?.warn({ err: error }, notCreated)
    }
    await setTimeout(pause * 1_000, undefined, { ref: false })
  }
}

async function installTriggers(app: App): Promise<void> {
  const own: Records = new Map(
    [...tableRecords(recordedTypes(app))].map(([table, record]) => [table, JSON.stringify(record)]),
  )
  const locked: string[] = []
  for (const { id, table, isMissing } of await app.store.write((unit) => findDifferences(own, unit)))
    if (!(await changeTrigger(app, own, id)) && isMissing) locked.push(table)
  if (locked.length > 0) throw new TablesLocked(locked)
}

/** Declares the records of this version if that is due, and returns the triggers that differ from the declarations. */
async function findDifferences(own: Records, unit: Unit): Promise<readonly Difference[]> {
  const state = await readState(unit)
  if (includesAll(state.declared, own) && differences(state, own).length === 0) return []
  await unit.run(lockTriggers, [])
  await declare(own, unit)
  return differences(await readState(unit), own)
}

/**
 * Changes the trigger of a table in a transaction of its own, which locks no other table. Returns false if the table is locked: all
 * writers of the table wait behind this transaction.
 */
async function changeTrigger({ store }: App, own: Records, id: Difference['id']): Promise<boolean> {
  const locked = new Error('The table is locked.')
  try {
    await store.write(async (unit) => {
      await unit.run(lockTriggers, [])
      const difference = differences(await readState(unit), own).find((one) => one.id === id)
      if (!difference) return // another process has changed it
      await unit.run(`set local lock_timeout = ${lockTime}`, [])
      await unit.run(difference.statement, []).catch((error) => {
        throw error.code === lockNotAvailable ? locked : error
      })
    })
    return true
  } catch (error) {
    if (error !== locked) throw error
    return false
  }
}

interface State {
  readonly installed: Triggers
  readonly declared: readonly DeclaredRecord[]
}

async function readState(unit: Unit): Promise<State> {
  const [row] = await unit.run(readTriggers, [])
  const triggers: readonly InstalledTrigger[] = JSON.parse(row?.installed as string)
  const declared: readonly DeclaredRecord[] = JSON.parse(row?.declared as string)
  return { installed: new Map(triggers.map((one) => [one.id, { ...one, record: readRecord(one) }])), declared }
}

function readRecord({ args }: InstalledTrigger): string {
  return Buffer.from(args, 'hex').toString('utf8').split('\0')[0] as string
}

/** Whether the records of this version were declared a short time ago. */
function includesAll(declared: readonly DeclaredRecord[], own: Records): boolean {
  const isDeclared = ([table, record]: readonly [string, string]) =>
    declared.some((one) => one.table === table && one.record === record && one.isRecent)
  return [...own].every(isDeclared)
}

/** The records of this version and of the others that run. */
function wantedRecords(declared: readonly DeclaredRecord[], own: Records): Triggers {
  const shown = declared.filter(({ table, id }) => id !== null || own.has(table))
  const byTable = Map.groupBy(shown, ({ table, id }) => id ?? table)
  return new Map(
    [...byTable].map(([id, records]) => {
      const merged = mergeRecords(records.map(({ record }): TableRecord => JSON.parse(record)))
      return [id, { table: (records[0] as DeclaredRecord).table, record: toTriggerArgument(merged) }]
    }),
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

interface Difference {
  readonly id: number | string
  readonly table: string
  readonly statement: string
  /** Whether changes of the table are lost. A trigger that records too much is changed by a later check. */
  readonly isMissing: boolean
}

/** The triggers to create, to replace and to drop. */
function differences({ installed, declared }: State, own: Records): Difference[] {
  const wanted = wantedRecords(declared, own)
  const found: Difference[] = []
  for (const [id, { table }] of installed)
    if (!wanted.has(id)) found.push({ id, table, statement: `drop trigger ${name} on ${table}`, isMissing: false })
  for (const [id, { table, record }] of wanted) {
    if (installed.get(id)?.record === record) continue
    const statement = `create or replace trigger ${name} after insert or update or delete on ${table}
      for each row execute function ${name}('${record.replaceAll("'", "''")}')`
    found.push({ id, table, statement, isMissing: true })
  }
  return found
}
