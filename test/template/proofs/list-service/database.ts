import pg from 'pg'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'

/** Runs the work with a new database, on the server of DATABASE_URL or on a temporary one; drops it afterwards. */
export function withNewDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  return withTestPostgres(async (serverUrl) => {
    const name = `prove_${process.pid}`
    await execute(serverUrl, `create database ${name}`)
    // Deadlocks are found after a second by default, which would be most of the time of a run. Needs a superuser.
    await execute(serverUrl, `alter database ${name} set deadlock_timeout = '20ms'`).catch(() => {})
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    try {
      return await work(url.href)
    } finally {
      await execute(serverUrl, `drop database if exists ${name} with (force)`)
    }
  })
}

/** The application name of the sessions of `execute`. */
export const proverName = 'prover'

/** Runs a statement outside of the service. */
export async function execute(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: proverName })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
