import pg from 'pg'
import { createClusterDirectory } from '../../scripts/cluster/cluster-directory.ts'
import { createServers, urlOf } from '../../scripts/cluster/postgres.ts'
import { postgresPrograms } from '../../scripts/cluster/programs.ts'
import { isAlive } from './crew.ts'
import { until } from './until.ts'

/** A PostgreSQL server and one that follows it. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Asks the primary, beside the application. */
  readonly onPrimary: (sql: string) => Promise<Record<string, unknown>[]>
  /** The standby stays where it is until `follow`, and answers as before. */
  hold(): Promise<void>
  /** The standby is so many milliseconds behind from now on. */
  delay(milliseconds: number): Promise<void>
  /** The standby has all that the primary has. */
  follow(): Promise<void>
  /** The standby does nothing at all, and its connections stay, until the function is called that this returns. */
  freeze(): Promise<() => void>
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const place = createClusterDirectory()
  const { primary, standby } = await createServers(await postgresPrograms(), place)
  const [primaryUrl, standbyUrl] = [urlOf(primary), urlOf(standby)]
  await primary.start()
  await standby.start()
  const onPrimary = (sql: string) => ask(primaryUrl, sql)
  const onStandby = (sql: string) => ask(standbyUrl, sql)
  return {
    primaryUrl,
    standbyUrl,
    onPrimary,
    async hold() {
      await onStandby('select pg_wal_replay_pause()')
      const state = 'select pg_get_wal_replay_pause_state() as state'
      await until(async () => (await onStandby(state))[0]?.state === 'paused')
    },
    async delay(milliseconds) {
      await onStandby(`alter system set recovery_min_apply_delay to ${milliseconds}`)
      await onStandby('select pg_reload_conf()')
      const setting = `select setting from pg_settings where name = 'recovery_min_apply_delay'`
      await until(async () => (await onStandby(setting))[0]?.setting === String(milliseconds))
    },
    async follow() {
      await onStandby('select pg_wal_replay_resume()')
      const [row] = await onPrimary('select pg_current_wal_flush_lsn()::text as reached')
      const isThere = `select pg_last_wal_replay_lsn() >= '${row?.reached}' as "isThere"`
      await until(async () => (await onStandby(isThere))[0]?.isThere === true)
    },
    async freeze() {
      const others = `backend_type = 'client backend' and pid <> pg_backend_pid()`
      const rows = await onStandby(`select pid from pg_stat_activity where ${others}`)
      const pids = [standby.pid as number, ...rows.map(({ pid }) => pid as number)].filter(isAlive)
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      }
    },
    stopStandby: standby.stop,
    startStandby: standby.start,
    async close() {
      await standby.stop()
      await primary.stop()
      place.remove()
    },
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
