import type { App, Unit } from '#kernel/plugin'
import { type LoggedChange, takenColumns } from './change.ts'
import { horizonOf } from './horizon.ts'

/** Rows of the log that a consumer reads in one transaction. */
const batchSize = 500
/** Deliveries that a consumer creates in one transaction, unless those of one change are more; and in one statement. */
const maxDeliveries = 2_000

/** Sends changes to receivers: at least once, and in order for each resource and receiver. */
export interface Consumer {
  /** Its name in the database. */
  readonly name: string
  /** The type whose changes it takes. Without it, those of all types. */
  readonly type?: string
  /** Prepares the plans of changes. Runs in the transaction that creates the deliveries. */
  prepare(changes: readonly LoggedChange[], unit: Unit): Promise<DeliveryPlan>
  /**
   * Performs a delivery. If it throws, the delivery is repeated later; deliveries of the same resource wait. Returns a
   * cancellation if the receiver does not exist any more.
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<'delivered' | Cancellation>
  /** Attempts after which a delivery is given up. */
  readonly attempts: number
  /** Whether deliveries stay in the database after they are performed. */
  readonly keeps: boolean
}

/** Returns the deliveries of a change. Null leaves it and the following ones to a process of another release, or to a later call. */
export type DeliveryPlan = (change: LoggedChange) => readonly NewDelivery[] | null

export interface Cancellation {
  /** A sentence. Recorded as the error of the delivery. */
  readonly reason: string
}

export interface NewDelivery {
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

/**
 * Creates the position of a new consumer. It takes the changes that are not committed yet, also those of transactions that are
 * running: their numbers may be smaller than those of committed changes. It therefore begins to read where the log is known
 * to be complete, and skips what its snapshot has seen.
 */
export async function registerConsumer(app: App, { name }: Consumer): Promise<void> {
  const complete = await horizonOf(app).advance()
  await app.store.query(
    `insert into change_consumers (name, position, since, snapshot)
     select $1, greatest($2::bigint, (select max(position) from change_consumers)),
       (select case when is_called then last_value else 0 end from change_log_sequence_seq), pg_current_snapshot()
     where not exists (select from change_consumers where name = $1)
     on conflict (name) do nothing`,
    [name, String(complete)],
  )
}

/** How far a consumer has read, as this process has last seen it. */
export interface Progress {
  position: bigint
}

/**
 * Takes the next changes, and creates their deliveries in the same transaction. Returns whether more changes can be taken
 * immediately.
 */
export async function takeChanges(app: App, consumer: Consumer, progress: Progress): Promise<boolean> {
  const until = await horizonOf(app).advance()
  if (until <= progress.position) return false
  return app.store.write(async (unit) => {
    const [found] = await unit.run(
      `select position::text as position, since::text as since, snapshot::text as snapshot from change_consumers
       where name = $1 for update skip locked`,
      [consumer.name],
    )
    if (!found) return false // another process takes them
    const start = {
      position: found.position as string,
      since: found.since as string,
      snapshot: found.snapshot as string,
    }
    progress.position = BigInt(start.position)
    if (until <= progress.position) return false
    const batch = await readBatch(consumer, start, until, unit)
    const planned = await planBatch(consumer, batch, unit)
    for (let from = 0; from < planned.deliveries.length; from += maxDeliveries)
      await insertDeliveries(consumer, planned.deliveries.slice(from, from + maxDeliveries), unit)
    if (planned.position === null) return false
    await unit.run('update change_consumers set position = $2::bigint where name = $1', [
      consumer.name,
      planned.position,
    ])
    return planned.isBehind
  })
}

interface Batch {
  readonly changes: readonly LoggedChange[]
  /** The position after all of them. */
  readonly end: string
  /** Whether the log has more rows that can be read. */
  readonly hasMore: boolean
}

type Start = Readonly<Record<'position' | 'since' | 'snapshot', string>>

/** Reads the next rows of the log. Those of other types, and those from before the registration, only move the position. */
async function readBatch(
  { type }: Consumer,
  { position, since, snapshot }: Start,
  until: bigint,
  unit: Unit,
): Promise<Batch> {
  const rows = await unit.run(
    `select l.sequence::text as sequence, t.change from (
       select * from change_log u where u.sequence > $1::bigint and u.sequence <= $2::bigint
       order by u.sequence limit ${batchSize}
     ) l left join lateral (
       select ${takenColumns}
       where ($3::text is null or l.type = $3)
         and (l.sequence > $4::bigint or not pg_visible_in_snapshot(l.transaction, $5::pg_snapshot))
     ) t on true order by l.sequence`,
    [position, String(until), type ?? null, since, snapshot],
  )
  const hasMore = rows.length === batchSize
  return {
    changes: rows.flatMap(({ change }) => (change === null ? [] : [JSON.parse(change as string) as LoggedChange])),
    end: hasMore ? (rows.at(-1)?.sequence as string) : String(until),
    hasMore,
  }
}

interface PlannedBatch {
  readonly deliveries: readonly PlannedDelivery[]
  /** The last position whose deliveries are planned. Null if there is none. */
  readonly position: string | null
  readonly isBehind: boolean
}

interface PlannedDelivery extends NewDelivery {
  readonly change: LoggedChange
}

async function planBatch(consumer: Consumer, { changes, end, hasMore }: Batch, unit: Unit): Promise<PlannedBatch> {
  if (changes.length === 0) return { deliveries: [], position: end, isBehind: hasMore }
  const plan = await consumer.prepare(changes, unit)
  const deliveries: PlannedDelivery[] = []
  let position: string | null = null
  for (const change of changes) {
    const created = plan(change)
    if (created === null) return { deliveries, position, isBehind: false }
    if (deliveries.length > 0 && deliveries.length + created.length > maxDeliveries)
      return { deliveries, position, isBehind: true }
    for (const delivery of created) deliveries.push({ ...delivery, change })
    position = change.sequence
  }
  return { deliveries, position: end, isBehind: hasMore }
}

async function insertDeliveries({ name }: Consumer, deliveries: readonly PlannedDelivery[], unit: Unit): Promise<void> {
  const rows = deliveries.map(({ change: { sequence, type, key }, receiver, payload }) => {
    return { sequence, type, key, receiver, payload }
  })
  await unit.run(
    `insert into change_deliveries (consumer, receiver, sequence, type, key, payload)
     select $1, d.receiver, d.sequence, d.type, d.key, d.payload
     from jsonb_to_recordset($2::jsonb) as d(receiver text, sequence bigint, type text, key text, payload jsonb)
     order by d.sequence
     on conflict (consumer, receiver, sequence) do nothing`,
    [name, JSON.stringify(rows)],
  )
}
