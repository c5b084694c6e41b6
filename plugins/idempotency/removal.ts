import { removeRows, type Worker } from '#jobs'
import type { App } from '#kernel/plugin'
import { readSettings } from './settings.ts'

export const removalJob = 'remove-idempotency-keys'
/** Seconds between two removals. */
export const removalInterval = 600

/**
 * Removes expired responses, then the oldest ones of each principal until it has at most IDEMPOTENCY_PRINCIPAL_BYTES, then
 * those of the principals with most until the rest has at most IDEMPOTENCY_TOTAL_BYTES.
 */
export function removalWorker(app: App): Worker {
  return async ({ finish }) => {
    const { retention, principalBytes, totalBytes } = readSettings(app)
    await removeKeys(app, `select id from idempotency_keys where created_at <= now() - $1::int * interval '1 second'`, [
      retention,
    ])
    const ofPrincipals = Number.isFinite(principalBytes)
      ? await removeKeys(app, excessOfPrincipals, [principalBytes])
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
  return removeKeys(app, excess, [totalBytes])
}

function removeKeys({ store }: App, selected: string, parameters: readonly unknown[]): Promise<number> {
  return removeRows(store, { table: 'idempotency_keys', key: 'id', selected }, parameters)
}
