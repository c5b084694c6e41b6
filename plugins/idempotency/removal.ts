import type { App, Worker } from '#kernel/plugin'
import { settingsOf } from './settings.ts'

export const removalJob = 'remove-idempotency-keys'
/** Seconds between two removals. */
export const removalInterval = 600
/** Rows of one statement. */
const removedRows = 10_000

/** Removes expired responses, then the oldest ones until the rest has at most IDEMPOTENCY_TOTAL_BYTES. */
export function removalWorker(app: App): Worker {
  return async ({ finish }) => {
    const { retention, totalBytes } = settingsOf(app)
    await removeAll(app, `select id from idempotency_keys where created_at <= now() - $1::int * interval '1 second'`, [
      retention,
    ])
    const early = Number.isFinite(totalBytes) ? await removeOldest(app, totalBytes) : 0
    if (early > 0) {
      app.logger?.warn(
        { removed: early, totalBytes },
        'Stored responses of idempotency keys were removed before they expired; raise IDEMPOTENCY_TOTAL_BYTES',
      )
    }
    await finish(async () => {})
  }
}

async function removeOldest(app: App, totalBytes: number): Promise<number> {
  const [row] = await app.store.query('select coalesce(sum(bytes), 0)::text as bytes from idempotency_keys')
  if (Number(row?.bytes) <= totalBytes) return 0
  const excess = `select id from (
    select id, sum(bytes) over (order by created_at desc, id) as total from idempotency_keys
  ) newest where total > $1::bigint`
  return removeAll(app, excess, [totalBytes])
}

/** Removes the selected rows in several transactions. Returns their number. */
async function removeAll({ store }: App, selected: string, parameters: readonly unknown[]): Promise<number> {
  const sql = `delete from idempotency_keys where id in (${selected} limit ${removedRows}) returning 1`
  for (let total = 0; ; ) {
    const { length } = await store.query(sql, parameters)
    total += length
    if (length < removedRows) return total
  }
}
