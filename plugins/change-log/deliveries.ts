import type { App, Unit } from '#kernel/plugin'
import { changeColumns, type LogRow, toLogRow } from './change.ts'
import { horizonOf } from './horizon.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Functions that stop the renewal of the leases of running deliveries. */
    leaseRenewals?: Set<() => void>
  }
}

/** Changes that a consumer takes in one transaction. */
const batchSize = 500
/** Deliveries that a process performs at the same time. */
const parallel = 16
/** Seconds after which a delivery of a process that has ended is repeated. */
const lease = 30

/** Sends changes to receivers: at least once, and in order for each resource and receiver. */
export interface Consumer {
  /** Its name in the database. */
  readonly name: string
  /** Returns the deliveries of changes. Runs in the transaction that moves the position of the consumer. */
  take(changes: readonly LogRow[], unit: Unit): Promise<readonly NewDelivery[]>
  /** Performs a delivery. If it throws, the delivery is repeated later; deliveries of the same resource wait. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>
  /** Attempts after which a delivery is given up. */
  readonly attempts: number
  /** Whether deliveries stay in the database after they are performed. */
  readonly keeps: boolean
}

export interface NewDelivery {
  readonly change: Pick<LogRow, 'sequence' | 'type' | 'key'>
  readonly receiver: string
  readonly payload: unknown
}

export interface Delivery {
  readonly id: string
  readonly receiver: string
  readonly sequence: string
  readonly type: string
  readonly key: string
  readonly payload: unknown
  /** The number of this attempt, from 1. */
  readonly attempt: number
}

/** Creates the position of a consumer at the end of the log: it takes later changes. */
export async function registerConsumer({ store }: App, { name }: Consumer): Promise<void> {
  await store.query(
    `insert into change_consumers (name, position)
     values ($1, coalesce((select max(sequence) from change_log), 0)) on conflict (name) do nothing`,
    [name],
  )
}

/** Takes all changes that can be read, then performs all deliveries that are due. Returns the number of deliveries. */
export async function runConsumer(app: App, consumer: Consumer, signal: AbortSignal): Promise<number> {
  while (!signal.aborted && (await takeChanges(app, consumer)) === batchSize);
  return deliverAll(app, consumer, signal)
}

/** Takes the next changes, and creates their deliveries in the same transaction. Returns the number of changes. */
async function takeChanges(app: App, consumer: Consumer): Promise<number> {
  const until = await horizonOf(app).advance()
  return app.store.write(async (unit) => {
    const [found] = await unit.run(
      'select position::text as position from change_consumers where name = $1 for update skip locked',
      [consumer.name],
    )
    if (!found) return 0 // another process takes them
    const rows = await unit.run(
      `select ${changeColumns} from change_log l where l.sequence > $1::bigint and l.sequence <= $2::bigint
       order by l.sequence limit ${batchSize}`,
      [found.position, String(until)],
    )
    const changes = rows.map(toLogRow)
    if (changes.length === 0) return 0
    const deliveries = await consumer.take(changes, unit)
    if (deliveries.length > 0) await insertDeliveries(consumer, deliveries, unit)
    await unit.run('update change_consumers set position = $2::bigint where name = $1', [
      consumer.name,
      changes.at(-1)?.sequence,
    ])
    return changes.length
  })
}

async function insertDeliveries({ name }: Consumer, deliveries: readonly NewDelivery[], unit: Unit): Promise<void> {
  const rows = deliveries.map(({ change: { sequence, type, key }, receiver, payload }) => {
    return { sequence, type, key, receiver, payload }
  })
  await unit.run(
    `insert into change_deliveries (consumer, receiver, sequence, type, key, payload)
     select $1, d.receiver, d.sequence, d.type, d.key, d.payload
     from jsonb_to_recordset($2::jsonb) as d(receiver text, sequence bigint, type text, key text, payload jsonb)
     on conflict do nothing`,
    [name, JSON.stringify(rows)],
  )
}

/**
 * Claims the first waiting deliveries of resources, if they are due. A later change of the same resource waits until the
 * earlier one is delivered or given up.
 */
const claim = `update change_deliveries d
  set claimed_until = now() + interval '${lease} seconds', attempts = attempts + 1
  where d.id in (
    select h.id from change_deliveries h
    where h.consumer = $1 and h.state = 'waiting' and h.due_at <= now()
      and (h.claimed_until is null or h.claimed_until < now())
      and not exists (select 1 from change_deliveries e where e.state = 'waiting' and e.receiver = h.receiver
        and e.type = h.type and e.key = h.key and e.sequence < h.sequence)
    order by h.sequence limit ${parallel} for update skip locked
  )
  returning d.id::text as id, d.receiver, d.sequence::text as sequence, d.type, d.key, d.payload::text as payload, d.attempts::int as attempt`

async function deliverAll(app: App, consumer: Consumer, signal: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    if (signal.aborted) return total
    const claimed = await app.store.query(claim, [consumer.name])
    if (claimed.length === 0) return total
    const renewal = renewLeases(
      app,
      claimed.map(({ id }) => id as string),
    )
    try {
      await Promise.all(claimed.map((row) => deliverOne(app, consumer, toDelivery(row), signal)))
    } finally {
      renewal.stop()
    }
    total += claimed.length
  }
}

function toDelivery(row: Readonly<Record<string, unknown>>): Delivery {
  return { ...(row as unknown as Delivery), payload: JSON.parse(row.payload as string) }
}

/** Keeps slow deliveries from being claimed by another process. */
function renewLeases(app: App, ids: readonly string[]) {
  const { store, logger } = app
  const renew = () =>
    store
      .query(
        `update change_deliveries set claimed_until = now() + interval '${lease} seconds'
         where state = 'waiting' and claimed_until > now() and id = any (string_to_array($1, ',')::bigint[])`,
        [ids.join()],
      )
      .catch((error) => logger?.warn({ err: error }, 'A delivery that takes long may be repeated by another process.'))
  const timer = setInterval(renew, (lease * 1000) / 3).unref()
  const stop = () => {
    clearInterval(timer)
    app.leaseRenewals?.delete(stop)
  }
  app.leaseRenewals ??= new Set()
  app.leaseRenewals.add(stop)
  return { stop }
}

/** Lets other processes claim the deliveries that still run when the application is closed. */
export function stopRenewals({ leaseRenewals = new Set() }: App): void {
  for (const stop of leaseRenewals) stop()
}

async function deliverOne(app: App, consumer: Consumer, delivery: Delivery, signal: AbortSignal): Promise<void> {
  try {
    await consumer.deliver(delivery, signal)
  } catch (error) {
    return failed(app, consumer, delivery, error)
  }
  const sql = consumer.keeps
    ? `update change_deliveries set state = 'delivered', finished_at = now(), error = null, claimed_until = null`
    : 'delete from change_deliveries'
  await app.store.query(`${sql} where id = $1::bigint and state = 'waiting' and attempts = $2::int`, [
    delivery.id,
    delivery.attempt,
  ])
}

const maxError = 500

async function failed({ store, logger }: App, consumer: Consumer, delivery: Delivery, error: unknown): Promise<void> {
  const { id, attempt, receiver, sequence } = delivery
  const isLast = attempt >= consumer.attempts
  const fields = { err: error, consumer: consumer.name, receiver, sequence, attempt }
  if (isLast) logger?.error(fields, 'A change was not delivered; its attempts are used up.')
  else logger?.warn(fields, 'A change was not delivered; it is sent again later.')
  await store.query(
    `update change_deliveries set claimed_until = null, error = $3,
       state = case when $4::boolean then 'dead' else state end,
       finished_at = case when $4::boolean then now() end,
       due_at = now() + $5::float8 * interval '1 second'
     where id = $1::bigint and state = 'waiting' and attempts = $2::int`,
    [id, attempt, String((error as Error)?.message ?? error).slice(0, maxError), isLast, pauseAfter(attempt)],
  )
}

/** Exponential backoff with jitter, in seconds: about 1, 2, 4 … up to an hour. */
function pauseAfter(attempt: number): number {
  return Math.min(2 ** (attempt - 1), 3600) * (0.75 + Math.random() / 2)
}
