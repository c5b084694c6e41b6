import { removeRows, type Worker } from '#jobs'
import type { App } from '#kernel/plugin'
import { historyTypes } from './install-triggers.ts'
import { readSettings } from './settings.ts'

export const removalJob = 'remove-changes'
/** Seconds between two removals. */
export const removalInterval = 3_600

/**
 * Removes finished deliveries and changes that are older than the settings allow. Changes that a consumer has not taken are kept.
 * The deliveries are first: there may be millions of changes.
 */
export function removalWorker(app: App): Worker {
  return async ({ finish }) => {
    const { store } = app
    const { days, historyDays } = readSettings(app)
    await removeRows(store, { table: 'change_deliveries', key: 'id', selected: expiredDeliveries }, [days])
    const histories = await historyTypes(app)
    for (const { name } of await store.query(loggedTypes)) {
      const keptDays = histories.has(name as string) ? historyDays : days
      if (keptDays === 0) continue // forever
      await removeRows(store, { table: 'change_log', key: 'sequence', selected: expiredChanges }, [name, keptDays])
    }
    await finish(async () => {})
  }
}

/** Rechecks deliveries that another transaction changes, such as one that sends them again. */
const expiredDeliveries = `select d.id from change_deliveries d
  where d.finished_at < now() - $1::int * interval '1 day' for update skip locked`

/** Reads the index of the type and the time, oldest first. */
const expiredChanges = `select l.sequence from change_log l
  where l.type = $1 and l.changed_at < now() - $2::int * interval '1 day'
    and l.sequence <= coalesce((select min(position) from change_consumers), l.sequence)
  order by l.changed_at for update skip locked`

/** The types in the log, also those that are not declared any more. Reads one row of the index for each. */
const loggedTypes = `with recursive types (name) as (
    select min(type) from change_log
    union all
    select (select min(l.type) from change_log l where l.type > t.name) from types t where t.name is not null
  ) select name from types where name is not null`
