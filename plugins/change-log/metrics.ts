import type { App } from '#kernel/plugin'
import type { Metric } from '#metrics'

declare module '#kernel/plugin' {
  interface App {
    /** The attempts of deliveries by this process, by consumer and result. */
    deliveryCounts?: Map<string, Map<DeliveryResult, number>>
  }
}

/** `cancelled`: the receiver does not exist any more. `failed`: the attempt is repeated later. `dead`: it was the last one. */
export type DeliveryResult = 'delivered' | 'cancelled' | 'failed' | 'dead'

export function countDelivery(app: App, consumer: string, result: DeliveryResult): void {
  app.deliveryCounts ??= new Map()
  const counts = app.deliveryCounts.get(consumer) ?? new Map<DeliveryResult, number>()
  app.deliveryCounts.set(consumer, counts.set(result, (counts.get(result) ?? 0) + 1))
}

/** The age of the first change that a consumer has not taken; 0 if it has taken all. */
const lags = `select c.name as consumer, coalesce(extract(epoch from clock_timestamp() - l.changed_at), 0)::float8 as value
  from change_consumers c left join lateral (
    select u.changed_at from change_log u where u.sequence > c.position order by u.sequence limit 1
  ) l on true`

/** Deliveries are counted up to this number. */
const maxCounted = 10_000

const unfinished = `select c.name as consumer, s.state, (
    select count(*) from (
      select 1 from change_deliveries d where d.consumer = c.name and d.state = s.state limit ${maxCounted}
    ) counted
  )::int as value from change_consumers c, (values ('waiting'), ('dead')) s (state)`

/** The age of the first delivery that waits, also between two attempts; 0 if none does. Reads one row of an index for each consumer. */
const oldest = `select c.name as consumer, coalesce(extract(epoch from clock_timestamp() - w.created_at), 0)::float8 as value
  from change_consumers c left join lateral (
    select d.created_at from change_deliveries d where d.consumer = c.name and d.state = 'waiting' order by d.sequence limit 1
  ) w on true`

export function changeLogMetrics(app: App): readonly Metric[] {
  const read = async (sql: string, labels: readonly string[]) => {
    const rows = await app.store.query(sql, [])
    return rows.map((row) => ({
      labels: Object.fromEntries(labels.map((label) => [label, row[label] as string])),
      value: row.value as number,
    }))
  }
  return [
    {
      name: 'change_log_lag_seconds',
      help: 'Age of the first change that the consumer has not read',
      kind: 'gauge',
      labels: ['consumer'],
      aggregator: 'max',
      read: () => read(lags, ['consumer']),
    },
    {
      name: 'change_delivery_oldest_seconds',
      help: 'Age of the first delivery that waits',
      kind: 'gauge',
      labels: ['consumer'],
      aggregator: 'max',
      read: () => read(oldest, ['consumer']),
    },
    {
      name: 'change_deliveries',
      help: `Deliveries of changes that wait, and dead letters, up to ${maxCounted}`,
      kind: 'gauge',
      labels: ['consumer', 'state'],
      aggregator: 'max',
      read: () => read(unfinished, ['consumer', 'state']),
    },
    {
      name: 'change_deliveries_total',
      help: 'Attempts to deliver changes',
      kind: 'counter',
      labels: ['consumer', 'result'],
      aggregator: 'sum',
      read: () => countedDeliveries(app),
    },
  ]
}

function countedDeliveries({ deliveryCounts = new Map() }: App) {
  return [...deliveryCounts].flatMap(([consumer, counts]) =>
    [...counts].map(([result, value]) => ({ labels: { consumer, result }, value })),
  )
}
