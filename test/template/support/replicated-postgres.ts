import pg from 'pg'
import { eventually } from '#test/support/eventually.ts'
import { createClusterDirectory } from '../../../scripts/template/cluster/cluster-directory.ts'
import { clusterUrl, createServers } from '../../../scripts/template/cluster/postgres.ts'
import { postgresPrograms } from '../../../scripts/template/cluster/programs.ts'
import { isAlive } from './clustered-service.ts'

/** A PostgreSQL primary and a standby with streaming replication. */
export interface ReplicatedPostgres {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Runs a statement on the primary, outside the application. */
  readonly onPrimary: (sql: string) => Promise<Record<string, unknown>[]>
  /** Pauses replay on the standby until `follow`; the standby still serves reads. */
  hold(): Promise<void>
  /** Sets the replication lag of the standby. */
  delay(milliseconds: number): Promise<void>
  /** Resumes replay and resolves when the standby has caught up with the primary. */
  follow(): Promise<void>
  /** Stops the processes of the standby and keeps its connections open, until the returned function is called. */
  freeze(): Promise<() => void>
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  /** Makes commits wait until the standby has replayed them. */
  synchronize(): Promise<void>
  /** Kills the primary and promotes the standby, which accepts writes from then on. */
  failOver(): Promise<void>
  close(): Promise<void>
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const dataDirectory = createClusterDirectory()
  const { primary, standby } = await createServers(await postgresPrograms(), dataDirectory)
  const [primaryUrl, standbyUrl] = [clusterUrl(primary), clusterUrl(standby)]
  await primary.start()
  await standby.start()
  const onPrimary = (sql: string) => query(primaryUrl, sql)
  const onStandby = (sql: string) => query(standbyUrl, sql)
  return {
    primaryUrl,
    standbyUrl,
    onPrimary,
    async hold() {
      await onStandby('select pg_wal_replay_pause()')
      const state = 'select pg_get_wal_replay_pause_state() as state'
      await eventually(async () => (await onStandby(state))[0]?.state === 'paused')
    },
    async delay(milliseconds) {
      await onStandby(`alter system set recovery_min_apply_delay to ${milliseconds}`)
      await onStandby('select pg_reload_conf()')
      const setting = `select setting from pg_settings where name = 'recovery_min_apply_delay'`
      await eventually(async () => (await onStandby(setting))[0]?.setting === String(milliseconds))
    },
    async follow() {
      await onStandby('select pg_wal_replay_resume()')
      const [row] = await onPrimary('select pg_current_wal_flush_lsn()::text as reached')
      const hasCaughtUp = `select pg_last_wal_replay_lsn() >= '${row?.reached}' as "hasCaughtUp"`
      await eventually(async () => (await onStandby(hasCaughtUp))[0]?.hasCaughtUp === true)
    },
    async freeze() {
      const otherClients = `backend_type = 'client backend' and pid <> pg_backend_pid()`
      const rows = await onStandby(`select pid from pg_stat_activity where ${otherClients}`)
      const pids = [standby.pid as number, ...rows.map(({ pid }) => pid as number)].filter(isAlive)
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) process.kill(pid, 'SIGCONT')
      }
    },
    stopStandby: standby.stop,
    startStandby: standby.start,
    async synchronize() {
      await onPrimary(`alter system set synchronous_standby_names to '*'`)
      await onPrimary(`alter system set synchronous_commit to remote_apply`)
      await onPrimary('select pg_reload_conf()')
      const state = 'select sync_state as state from pg_stat_replication'
      await eventually(async () => (await onPrimary(state))[0]?.state === 'sync')
    },
    async failOver() {
      await primary.kill()
      await onStandby('select pg_promote()')
    },
    async close() {
      await standby.stop()
      await primary.stop()
      dataDirectory.remove()
    },
  }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
