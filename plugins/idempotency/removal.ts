import type { Worker } from '#jobs'
import type { App } from '#kernel/plugin'
import { readSettings } from './settings.ts'

export const removalJob = 'remove-idempotency-keys'
/** Seconds between two removals. */
export const removalInterval = 600
/** Rows of one statement. */
const removedRows = 10_000

/**
 * Removes expired responses, then the oldest ones of each principal until it has at most IDEMPOTENCY_PRINCIPAL_BYTES, then
 * those of the principals with most until the rest has at most IDEMPOTENCY_TOTAL_BYTES.
 */
export function removalWorker(app: App): Worker {
  return async ({ finish }) => {
    const { retention, principalBytes, totalBytes } = readSettings(app)
    await removeAll(app, `select id from idempotency_keys where created_at <= now() - $1::int * interval '1 second'`, [
      retention,
    ])
    const ofPrincipals = Number.isFinite(principalBytes)
      ? await removeAll(app, excessOfPrincipals, [principalBytes])
      : 0
    if (ofPrincipals > 0) {
      app.logger?.warn(
        { removed: ofPrincipals, principalBytes },
        'Stored responses of a principal were removed before they expired; raise IDEMPOTENCY_PRINCIPAL_BYTES',
      )
    }
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

/** The bytes of a response and all newer ones of the same principal. */
const bytesOfPrincipal = 'sum(bytes) over (partition by principal order by created_at desc, id)'

const excessOfPrincipals = `select id from (
  select id, ${bytesOfPrincipal} as total from idempotency_keys where principal in (
    select principal from idempotency_keys group by principal having sum(bytes) > $1::bigint
  )
) newest where total > $1::bigint`

/** Keeps the newest responses of every principal, so that one that stores many does not displace those of others. */
const excess = `select id from (
  select id, sum(bytes) over (order by of_principal, created_at desc, id) as total
  from (select id, bytes, created_at, ${bytesOfPrincipal} as of_principal from idempotency_keys) ranked
) newest where total > $1::bigint`

async function removeOldest(app: App, totalBytes: number): Promise<number> {
  const [row] = await app.store.query('select coalesce(sum(bytes), 0)::text as bytes from idempotency_keys')
  if (Number(row?.bytes) <= totalBytes) return 0
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
