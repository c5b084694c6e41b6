import type { EntityMetadata } from '@mikro-orm/core'
import type { App, ResourceType, Unit } from '#kernel/plugin'
import { tableRecords } from './table-records.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Resolves when the triggers agree with the declarations. Null after a failed attempt. */
    changeTriggers?: Promise<void> | null
  }
}

const name = 'change_log_record'

/** The triggers of this function, with the schema and the name of their tables. */
const installedTriggers = `select quote_ident(n.nspname) as schema, quote_ident(c.relname) as table,
    n.nspname = current_schema() as "isCurrent", encode(t.tgargs, 'hex') as args
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where t.tgname = '${name}' and t.tgfoid = (select oid from pg_proc where proname = '${name}'
    and pronamespace = current_schema()::regnamespace)`

/** The types of an application whose changes are recorded. */
export function recordedTypes({ registry }: Pick<App, 'registry'>): readonly ResourceType[] {
  return [...registry.types.values()].filter(({ declaration }) => declaration.changes)
}

/**
 * Makes the triggers agree with the declarations, once per process. Sends one statement if they do. A failed attempt is
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

async function installTriggers(app: App, unit: Unit): Promise<void> {
  const metaOf = (entity: ResourceType['entity']) => unit.em.getMetadata().get(entity) as EntityMetadata
  const wanted = new Map<string, string>()
  for (const [table, record] of tableRecords(recordedTypes(app), metaOf)) wanted.set(table, JSON.stringify(record))
  if (differences(wanted, await readInstalled(unit)).length === 0) return
  await unit.run(`select pg_advisory_xact_lock(hashtext('${name}'))`, [])
  for (const statement of differences(wanted, await readInstalled(unit))) await unit.run(statement, [])
}

async function readInstalled(unit: Unit): Promise<ReadonlyMap<string, string>> {
  const rows = await unit.run(installedTriggers, [])
  return new Map(
    rows.map(({ schema, table, isCurrent, args }) => [
      isCurrent ? String(table).replace(/^[^"].*$/, '"$&"') : `${schema}.${table}`,
      Buffer.from(args as string, 'hex')
        .toString('utf8')
        .split('\0')[0] as string,
    ]),
  )
}

/** The statements that create missing triggers, replace others and drop superfluous ones. */
function differences(wanted: ReadonlyMap<string, string>, existing: ReadonlyMap<string, string>): string[] {
  const statements: string[] = []
  for (const table of existing.keys()) if (!wanted.has(table)) statements.push(`drop trigger ${name} on ${table}`)
  for (const [table, record] of wanted) {
    if (existing.get(table) === record) continue
    statements.push(`create or replace trigger ${name} after insert or update or delete on ${table}
      for each row execute function ${name}('${record.replaceAll("'", "''")}')`)
  }
  return statements
}
