import { setTimeout } from 'node:timers/promises'
import type { App } from '#kernel/plugin'
import { type Consumer, type Delivery, type Progress, takeChanges } from './deliveries.ts'
import { countDelivery, type DeliveryResult } from './metrics.ts'

/** Deliveries of a consumer that a process performs at the same time. */
const parallel = 16
/** The most parallel deliveries to one receiver, and to all receivers together whose last delivery failed. */
const share = parallel / 2
/** Seconds after which a delivery of a process that has ended is repeated. */
const lease = 30
/** Milliseconds after which changes are taken again while deliveries run. */
const takeInterval = 1_000

/** What a process remembers of a consumer between its runs. */
export interface ConsumerState extends Progress {
  /** The receivers whose last delivery by this process failed, while others wait for them. */
  readonly failing: Set<string>
}

/** Signals that end a run. */
export interface RunSignals {
  /** Lets running deliveries end, and begins no others. */
  readonly closing: AbortSignal
  /** Interrupts running deliveries. */
  readonly stopping: AbortSignal
}

/**
 * Takes the changes that can be read and performs the deliveries that are due, until there are none. A receiver whose last
 * delivery failed gets one at a time, so that others do not wait for its time-outs.
 */
export async function runConsumer(
  app: App,
  consumer: Consumer,
  state: ConsumerState,
  signals: RunSignals,
): Promise<void> {
  if (state.failing.size > 0) await forgetReceivers(app, consumer, state)
  const run = new ConsumerRun(app, consumer, state, signals)
  const stopRenewal = renewLeases(app, () => run.ids)
  signals.stopping.addEventListener('abort', stopRenewal)
  try {
    await run.perform()
  } finally {
    signals.stopping.removeEventListener('abort', stopRenewal)
    stopRenewal()
  }
}

/** Removes receivers for which nothing waits: their subscriptions may be deleted. */
async function forgetReceivers({ store }: App, { name }: Consumer, { failing }: ConsumerState): Promise<void> {
  const rows = await store.query(
    `select r.name from jsonb_array_elements_text($2::jsonb) r (name) where not exists (
       select from change_deliveries d where d.consumer = $1 and d.receiver = r.name and d.is_first
     )`,
    [name, JSON.stringify([...failing])],
  )
  for (const row of rows) failing.delete(row.name as string)
}

interface Running {
  readonly id: string
  readonly receiver: string
  readonly ended: Promise<void>
}

class ConsumerRun {
  readonly #app: App
  readonly #consumer: Consumer
  readonly #state: ConsumerState
  readonly #signals: RunSignals
  readonly #running = new Set<Running>()
  /** Failures of the database. */
  readonly #errors: unknown[] = []

  constructor(app: App, consumer: Consumer, state: ConsumerState, signals: RunSignals) {
    this.#app = app
    this.#consumer = consumer
    this.#state = state
    this.#signals = signals
  }

  get ids(): readonly string[] {
    return [...this.#running].map(({ id }) => id)
  }

  async perform(): Promise<void> {
    try {
      let isBehind = true
      for (let takenAt = performance.now(); !this.#isEnding; ) {
        if (isBehind || performance.now() - takenAt >= takeInterval) {
          isBehind = await takeChanges(this.#app, this.#consumer, this.#state)
          takenAt = performance.now()
        }
        const wasRunning = this.#running.size > 0
        if ((await this.#claimDue()) > 0 || isBehind) continue
        if (!wasRunning) break
        if (this.#running.size > 0) await this.#awaitOne(takenAt + takeInterval - performance.now())
      }
    } finally {
      await Promise.all([...this.#running].map(({ ended }) => ended))
    }
    if (this.#errors.length > 0) throw this.#errors[0]
  }

  get #isEnding(): boolean {
    const { closing, stopping } = this.#signals
    return closing.aborted || stopping.aborted || this.#errors.length > 0
  }

  /** Begins the deliveries that are due, as far as the limits allow. Returns their number. */
  async #claimDue(): Promise<number> {
    const counts = new Map<string, number>()
    for (const { receiver } of this.#running) counts.set(receiver, (counts.get(receiver) ?? 0) + 1)
    const failing = [...this.#state.failing]
    const busy = [...counts].flatMap(([receiver, count]) => (count >= share ? [receiver] : []))
    const most = Math.max(0, ...[...counts.values()].filter((count) => count < share))
    const started = await this.#claim(share - most, [...failing, ...busy], false)
    const ready = failing.filter((receiver) => !counts.has(receiver))
    if (ready.length === 0 || failing.length - ready.length >= share) return started
    return started + (await this.#claim(1, ready, true))
  }

  async #claim(limit: number, receivers: readonly string[], isIncluded: boolean): Promise<number> {
    const free = Math.min(limit, parallel - this.#running.size)
    if (free <= 0) return 0
    const { store } = this.#app
    const rows = await store.query(claim, [this.#consumer.name, free, JSON.stringify(receivers), isIncluded])
    for (const row of rows) this.#start(toDelivery(row))
    return rows.length
  }

  #start(delivery: Delivery): void {
    const ended = this.#deliver(delivery)
      .catch((error) => void this.#errors.push(error))
      .finally(() => this.#running.delete(running))
    const running = { id: delivery.id, receiver: delivery.receiver, ended }
    this.#running.add(running)
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const result = await deliverOne(this.#app, this.#consumer, delivery, this.#signals.stopping)
    if (result === 'released') return
    if (result === 'delivered' || result === 'cancelled') this.#state.failing.delete(delivery.receiver)
    else this.#state.failing.add(delivery.receiver)
  }

  async #awaitOne(milliseconds: number): Promise<void> {
    const pause = setTimeout(Math.max(milliseconds, 0), undefined, { ref: false })
    await Promise.race([pause, ...[...this.#running].map(({ ended }) => ended)])
  }
}

/**
 * Claims the first waiting deliveries of resources, if they are due: to the listed receivers, or to all others. A later change
 * of the same resource waits until the earlier one is delivered or given up. Reads a few rows for each receiver. Considers twice as
 * many as it claims, because another process may claim some of them, and locks only the rows that it claims.
 */
export const claim = `with recursive receivers (name) as (
    (select receiver from change_deliveries where consumer = $1 and is_first order by receiver limit 1)
    union all
    select (
      select d.receiver from change_deliveries d
      where d.consumer = $1 and d.is_first and d.receiver > r.name order by d.receiver limit 1
    ) from receivers r where r.name is not null
  ), due as materialized (
    select h.id, h.due_at, h.sequence from receivers r cross join lateral (
      select d.id, d.due_at, d.sequence from change_deliveries d
      where d.consumer = $1 and d.receiver = r.name and d.is_first and d.due_at <= now()
        and (d.claimed_until is null or d.claimed_until < now())
      order by d.due_at, d.sequence limit $2::int * 2
    ) h
    where (r.name in (select jsonb_array_elements_text($3::jsonb))) = $4::boolean
    order by h.due_at, h.sequence limit $2::int * 2
  ), chosen as materialized (
    select d.id from due join change_deliveries d on d.id = due.id
    where d.is_first and d.state = 'waiting' and (d.claimed_until is null or d.claimed_until < now())
    order by due.due_at, due.sequence limit $2::int for update of d skip locked
  )
  update change_deliveries d
  set claimed_until = now() + interval '${lease} seconds', attempts = attempts + 1
  from chosen where d.id = chosen.id
  returning d.id::text as id, d.receiver, d.sequence::text as sequence, d.type, d.key, d.payload::text as payload, d.attempts::int as attempt`

function toDelivery(row: Readonly<Record<string, unknown>>): Delivery {
  return { ...(row as unknown as Delivery), payload: JSON.parse(row.payload as string) }
}

/** Keeps slow deliveries from being claimed by another process, until the returned function is called. */
function renewLeases({ store, logger }: App, listIds: () => readonly string[]): () => void {
  const renew = async () => {
    const ids = listIds()
    if (ids.length === 0) return
    await store.query(
      `update change_deliveries set claimed_until = now() + interval '${lease} seconds'
       where id in (
         select id from change_deliveries
         where state = 'waiting' and claimed_until > now() and id = any (string_to_array($1, ',')::bigint[])
         for update skip locked
       )`,
      [ids.join()],
    )
  }
  const warn = (error: unknown) =>
    logger?.warn({ err: error }, 'A delivery that takes long may be repeated by another process.')
  const timer = setInterval(() => void renew().catch(warn), (lease * 1000) / 3).unref()
  return () => clearInterval(timer)
}

async function deliverOne(
  app: App,
  consumer: Consumer,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryResult | 'released'> {
  const outcome = await consumer
    .deliver(delivery, signal)
    .catch((error) => (signal.aborted ? releaseClaim(app, delivery) : recordFailure(app, consumer, delivery, error)))
  if (outcome === 'released') return outcome
  const { reason = null } = typeof outcome === 'string' ? {} : outcome
  const result = typeof outcome === 'string' ? outcome : 'cancelled'
  countDelivery(app, consumer.name, result)
  if (result === 'delivered' || result === 'cancelled') await recordEnd(app, consumer, delivery, { result, reason })
  return result
}

interface End {
  readonly result: 'delivered' | 'cancelled'
  /** Why the delivery was cancelled. */
  readonly reason: string | null
}

async function recordEnd(
  { store }: App,
  { keeps }: Consumer,
  { id, attempt }: Delivery,
  { result, reason }: End,
): Promise<void> {
  // A delivery that was cancelled during its last attempt has the result of the attempt.
  const due = `where id = $1::bigint and state in ('waiting', 'cancelled') and attempts = $2::int`
  if (!keeps) return end(store, `delete from change_deliveries ${due}`, [id, attempt])
  const sql = `update change_deliveries set state = $3, finished_at = now(), error = $4, claimed_until = null ${due}`
  await end(store, sql, [id, attempt, result, reason])
}

/** A statement that ends a delivery locks the next one, and may be a deadlock with one that cancels both: a unit is repeated. */
async function end(store: App['store'], sql: string, parameters: readonly unknown[]): Promise<void> {
  await store.write((unit) => unit.run(sql, parameters))
}

/** A delivery that the end of the process has interrupted was no attempt. */
async function releaseClaim({ store }: App, { id, attempt }: Delivery): Promise<'released'> {
  await store.query(
    `update change_deliveries set claimed_until = null, attempts = attempts - 1
     where id = $1::bigint and state = 'waiting' and attempts = $2::int`,
    [id, attempt],
  )
  return 'released'
}

const maxError = 500

/** Returns `dead` if it was the last attempt. */
async function recordFailure(
  { store, logger }: App,
  consumer: Consumer,
  delivery: Delivery,
  error: unknown,
): Promise<'failed' | 'dead'> {
  const { id, attempt, receiver, sequence } = delivery
  const isLast = attempt >= consumer.attempts
  const fields = { err: error, consumer: consumer.name, receiver, sequence, attempt }
  if (isLast) logger?.error(fields, 'A change was not delivered; its attempts are used up.')
  else logger?.warn(fields, 'A change was not delivered; it is sent again later.')
  await end(
    store,
    `update change_deliveries set claimed_until = null, error = $3,
       state = case when $4::boolean then 'dead' else state end,
       finished_at = case when $4::boolean then now() end,
       due_at = now() + $5::float8 * interval '1 second'
     where id = $1::bigint and state = 'waiting' and attempts = $2::int`,
    [id, attempt, String((error as Error)?.message ?? error).slice(0, maxError), isLast, pauseAfter(attempt)],
  )
  return isLast ? 'dead' : 'failed'
}

/** Exponential backoff with jitter, in seconds: about 1, 2, 4 … up to an hour. */
function pauseAfter(attempt: number): number {
  return Math.min(2 ** (attempt - 1), 3600) * (0.75 + Math.random() / 2)
}
