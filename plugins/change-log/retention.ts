import type { Worker } from '#jobs'
import type { App } from '#kernel/plugin'
import { recordedTypes } from './install-triggers.ts'
import { settingsOf } from './settings.ts'

export const removalJob = 'remove-changes'
/** Seconds between two removals. */
export const removalInterval = 3_600
/** Rows of one statement. */
const removedRows = 10_000

/**
 * Removes changes and finished deliveries that are older than the settings allow. Changes that a consumer has not taken are
 * kept.
 */
export function removalWorker(app: App): Worker {
  return async ({ finish }) => {
    const { days, historyDays } = settingsOf(app)
    const types = recordedTypes(app).flatMap(({ name, declaration }) => (declaration.history ? [name] : []))
    const taken = 'l.sequence <= coalesce((select min(position) from change_consumers), l.sequence)'
    const isHistory = `l.type in (select jsonb_array_elements_text($2::jsonb))`
    const expired = `select l.sequence from change_log l where ${taken} and l.changed_at < now() - $1::int * interval '1 day'`
    const names = JSON.stringify(types)
    await removeAll(app, 'change_log', 'sequence', `${expired} and not ${isHistory}`, [days, names])
    if (historyDays > 0) {
      await removeAll(app, 'change_log', 'sequence', `${expired} and ${isHistory}`, [historyDays, names])
    }
    const finished = `select id from change_deliveries where finished_at < now() - $1::int * interval '1 day'`
    await removeAll(app, 'change_deliveries', 'id', finished, [days])
    await finish(async () => {})
  }
}

/** Removes the selected rows in several transactions. */
async function removeAll(
  { store }: App,
  table: string,
  key: string,
  selected: string,
  parameters: readonly unknown[],
): Promise<void> {
  const sql = `delete from ${table} where ${key} in (${selected} limit ${removedRows}) returning 1`
  while ((await store.query(sql, parameters)).length === removedRows);
}
