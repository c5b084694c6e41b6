import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import type { Place } from './cluster-directory.ts'
import { createPart, type Part } from './cluster-process.ts'
import type { PostgresPrograms } from './programs.ts'

export interface Servers {
  readonly primary: Part
  readonly standby: Part
}

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_keep_size=256MB']

/** A primary, and a standby that begins as a copy of it and follows it from then on. */
export async function createServers({ initdb, postgres }: PostgresPrograms, place: Place): Promise<Servers> {
  const [data, copy] = [place.file('primary'), place.file('standby')]
  const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, place.unprivileged.user ?? {})
  const password = place.file('password')
  writeFileSync(password, 'app')
  await run(initdb, '-D', data, '-U', 'app', '--pwfile', password, '-A', 'scram-sha-256', '--locale=C', '-E', 'UTF8')
  await run('cp', '-a', data, copy)
  await run('touch', join(copy, 'standby.signal'))

  const server = async (name: string, directory: string, ...own: string[]) => {
    const port = await freePort()
    return createPart({
      name,
      port,
      command: postgres,
      args: ['-D', directory, '-p', String(port), ...[...settings, ...own].flatMap((setting) => ['-c', setting])],
      ...place.unprivileged,
      ready: /ready to accept (?:read-only )?connections/,
      signals: { stop: 'SIGINT', kill: 'SIGQUIT' },
      log: place.file(`${name}.log`),
    })
  }
  const primary = await server('primary', data)
  const follow = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=app password=app`
  return { primary, standby: await server('standby', copy, follow) }
}

/** Where a client finds the database of the cluster: at a server, or at the pooler. */
export function urlOf({ port }: Part): string {
  return `postgres://app:app@127.0.0.1:${port}/postgres`
}
