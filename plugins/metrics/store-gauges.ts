import { Gauge } from 'prom-client'
import type { App } from '#kernel/plugin'
import type { Meters } from './meters.ts'
import { readInTime } from './read-in-time.ts'

type Store = App['store']

/** Measures the connection pool, the replicas and the job queue when the metrics are read. */
export function measureStore(store: Store, registry: Meters['registry']): void {
  measurePool(store, registry)
  measureReplicas(store, registry)
  measureQueue(store, registry)
}

function measurePool({ pool }: Store, registry: Meters['registry']): void {
  if (!pool) return
  new Gauge({
    name: 'database_connections',
    help: 'Database connections, and requests that wait for a connection',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = pool()
      this.set({ state: 'busy' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'awaited' }, waiting)
    },
  })
}

/** All workers observe the same replicas: their values are not added. */
function measureReplicas({ replicas }: Store, registry: Meters['registry']): void {
  if (!replicas) return
  const shared = { labelNames: ['replica'], registers: [registry], aggregator: 'max' as const }
  new Gauge({
    ...shared,
    name: 'database_replica_available',
    help: '1 if the replica serves reads, 0 if it is unreachable or lags too far behind',
    collect() {
      for (const { name, state } of replicas()) this.set({ replica: name }, state === 'available' ? 1 : 0)
    },
  })
  new Gauge({
    ...shared,
    name: 'database_replica_lag_seconds',
    help: 'Replication lag, up to DATABASE_REPLICA_LAG',
    collect() {
      for (const { name, lag } of replicas()) this.set({ replica: name }, lag)
    },
  })
}

/** All processes count the jobs of the same database: their values are not added. */
function measureQueue({ queue }: Store, registry: Meters['registry']): void {
  const readBacklog = queue.backlog
  if (!readBacklog) return
  const readJobs = readInTime(readBacklog)
  let reading: ReturnType<typeof readJobs> | null = null
  /** One statement for both gauges. */
  const backlog = () => {
    reading ??= readJobs().finally(() => {
      reading = null
    })
    return reading
  }
  const shared = { labelNames: ['queue'], registers: [registry], aggregator: 'max' as const }
  new Gauge({
    ...shared,
    name: 'jobs_waiting',
    help: 'Due jobs that no worker has begun',
    async collect() {
      const jobs = await backlog()
      this.reset()
      for (const { job, waiting } of jobs) this.set({ queue: job }, waiting)
    },
  })
  new Gauge({
    ...shared,
    name: 'jobs_oldest_waiting_seconds',
    help: 'Time since the oldest waiting job was due',
    async collect() {
      const jobs = await backlog()
      this.reset()
      for (const { job, oldestSeconds } of jobs) this.set({ queue: job }, oldestSeconds)
    },
  })
}
