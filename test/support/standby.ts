import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type DescribedPostgres, describePostgres, keepExitCode } from '../../scripts/support/postgres.ts'

/** In milliseconds. */
const patience = 20_000

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
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  keepExitCode()
  const primary = await describePostgres(`primary-${process.pid}`, () => {})
  let heard: (line: string) => void = () => {}
  const standby = await describePostgres(`standby-${process.pid}`, (line) => heard(line))
  await primary.server.initialise()
  copyAsStandby(primary, standby)
  await primary.server.start()

  const startStandby = async () => {
    const ready = new Promise<void>((resolve) => {
      heard = (line) => line.includes('ready to accept read-only connections') && resolve()
    })
    await Promise.race([ready, standby.server.start()])
  }
  await startStandby()
  const onPrimary = (sql: string) => ask(primary.url, sql)
  return {
    primaryUrl: primary.url,
    standbyUrl: standby.url,
    onPrimary,
    async hold() {
      await ask(standby.url, 'select pg_wal_replay_pause()')
      const state = 'select pg_get_wal_replay_pause_state() as state'
      await until(async () => (await ask(standby.url, state))[0]?.state === 'paused')
    },
    async delay(milliseconds) {
      await ask(standby.url, `alter system set recovery_min_apply_delay to ${milliseconds}`)
      await ask(standby.url, 'select pg_reload_conf()')
      const setting = `select setting from pg_settings where name = 'recovery_min_apply_delay'`
      await until(async () => (await ask(standby.url, setting))[0]?.setting === String(milliseconds))
    },
    async follow() {
      await ask(standby.url, 'select pg_wal_replay_resume()')
      const [row] = await onPrimary('select pg_current_wal_flush_lsn()::text as reached')
      const isThere = `select pg_last_wal_replay_lsn() >= '${row?.reached}' as "isThere"`
      await until(async () => (await ask(standby.url, isThere))[0]?.isThere === true)
    },
    stopStandby: () => standby.server.stop(),
    startStandby,
    async close() {
      await standby.server.stop()
      await primary.server.stop()
      for (const { databaseDir } of [standby, primary]) await rm(databaseDir, { recursive: true, force: true })
    },
  }
}

/** Before its first start a server is its files. */
function copyAsStandby(primary: DescribedPostgres, standby: DescribedPostgres): void {
  execFileSync('cp', ['-a', primary.databaseDir, standby.databaseDir])
  writeFileSync(join(standby.databaseDir, 'standby.signal'), '')
  const settings = `primary_conninfo = '${primary.url}'\nwal_retrieve_retry_interval = 100\n`
  appendFileSync(join(standby.databaseDir, 'postgresql.conf'), settings)
}

/** What comes about by itself, some time. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now()
  while (!(await isSo())) {
    if (performance.now() - began > patience) throw new Error('It has not come about.')
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
