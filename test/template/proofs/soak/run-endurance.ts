import { setTimeout } from 'node:timers/promises'
import { execute, proverName, withNewDatabase } from '../list-service/database.ts'
import type { Measurement } from '../list-service/measure.ts'
import { type ListService, startListService } from '../list-service/start-service.ts'
import { type Load, type LoadCounts, startLoad } from './load.ts'
import { createStolenTime } from './stolen-time.ts'

export interface EnduranceOptions {
  readonly minutes: number
  readonly seed: number
  readonly onProgress?: (minutes: number) => void
}

/** The state at one time, while no request is in flight. */
export interface Sample {
  /** Minutes since the start. */
  readonly at: number
  /** Per process. */
  readonly processes: readonly Measurement[]
  /** The 99th percentile of the response times since the last sample, in milliseconds. */
  readonly p99: number
  /** The percentage of CPU time since the last sample that other machines of the host have taken. */
  readonly stolen: number
  /** Transactions that are open in the database. */
  readonly openTransactions: number
}

export interface EnduranceResult {
  readonly samples: readonly Sample[]
  readonly counts: LoadCounts
  readonly failures: readonly string[]
  /** Acknowledged rows that do not exist. */
  readonly lost: readonly string[]
  /** Rows that no acknowledged write created. */
  readonly unacknowledged: readonly string[]
}

const clients = 8
const samplesPerRun = 40

/** Runs mixed load with faults on two processes, and measures them again and again. */
export function runEndurance(options: EnduranceOptions): Promise<EnduranceResult> {
  return withNewDatabase(async (databaseUrl) => {
    const services: ListService[] = []
    try {
      for (const extra of [{ CREATE_SCHEMA: 'true' }, {}]) {
        services.push(await startListService({ DATABASE_URL: databaseUrl, ...extra }))
      }
      return await measureLoad(databaseUrl, services, options)
    } finally {
      await Promise.all(services.map((service) => service.stop()))
    }
  })
}

async function measureLoad(
  databaseUrl: string,
  services: readonly ListService[],
  { minutes, seed, onProgress }: EnduranceOptions,
): Promise<EnduranceResult> {
  const closeDatabaseConnection = () =>
    execute(
      databaseUrl,
      `select pg_terminate_backend(pid) from (${otherSessions} order by random() limit 1) as session`,
    )
  const urls = services.map(({ url }) => url)
  const load = await startLoad({ urls, clients, seed, closeDatabaseConnection })
  const stolenTime = createStolenTime()
  const samples: Sample[] = []
  const startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) / 60_000
  while (elapsed() < minutes) {
    await setTimeout((minutes * 60_000) / samplesPerRun)
    const stolen = stolenTime()
    samples.push({ ...(await takeSample(databaseUrl, services, load, elapsed())), stolen })
    onProgress?.(elapsed())
  }
  await load.stop()
  const rows = (await execute(databaseUrl, 'select id::text from list_numbers')).map(({ id }) => id as string)
  const { counts, failures } = load
  const lost = [...load.rows].filter((id) => !rows.includes(id))
  return { samples, counts, failures, lost, unacknowledged: rows.filter((id) => !load.rows.has(id)) }
}

const otherSessions = `select pid, xact_start from pg_stat_activity
  where datname = current_database() and application_name <> '${proverName}' and backend_type = 'client backend'`

async function takeSample(
  databaseUrl: string,
  services: readonly ListService[],
  load: Load,
  at: number,
): Promise<Omit<Sample, 'stolen'>> {
  await load.pause()
  const p99 = percentile(load.takeTimes(), 99)
  const processes = await Promise.all(services.map((service) => service.measure()))
  const open = `select pid from (${otherSessions}) as session where xact_start < now() - interval '1 second'`
  const openTransactions = (await execute(databaseUrl, open)).length
  load.resume()
  return { at, processes, p99, openTransactions }
}

function percentile(times: readonly number[], percent: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil((times.length * percent) / 100) - 1] ?? 0
}
