import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../support/free-port.ts'
import type { ClusterDirectory } from './cluster-directory.ts'
import { type ClusterProcess, createClusterProcess } from './cluster-process.ts'
import type { PostgresPrograms } from './programs.ts'

export interface Servers {
  readonly primary: ClusterProcess
  readonly standby: ClusterProcess
}

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'wal_keep_size=256MB']

/** Creates a primary, and a standby that starts as a copy of its data and replicates it. */
export async function createServers(
  { initdb, postgres }: PostgresPrograms,
  directory: ClusterDirectory,
): Promise<Servers> {
  const [data, copy] = [directory.file('primary'), directory.file('standby')]
  const run = (command: string, ...args: string[]) =>
    promisify(execFile)(command, args, directory.unprivileged.user ?? {})
  const password = directory.file('password')
  writeFileSync(password, 'app')
  await run(initdb, '-D', data, '-U', 'app', '--pwfile', password, '-A', 'scram-sha-256', '--locale=C', '-E', 'UTF8')
  await run('cp', '-a', data, copy)
  await run('touch', join(copy, 'standby.signal'))

  const server = async (name: string, dataDirectory: string, ...extraSettings: string[]) => {
    const port = await freePort()
    return createClusterProcess({
      name,
      port,
      command: postgres,
      args: [
        '-D',
        dataDirectory,
        '-p',
        String(port),
        ...[...settings, ...extraSettings].flatMap((setting) => ['-c', setting]),
      ],
      ...directory.unprivileged,
      ready: /ready to accept (?:read-only )?connections/,
      signals: { stop: 'SIGINT', kill: 'SIGQUIT' },
      log: directory.file(`${name}.log`),
    })
  }
  const primary = await server('primary', data)
  const replication = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=app password=app`
  return { primary, standby: await server('standby', copy, replication) }
}

/** Returns the database URL of a server or of the pooler. */
export function clusterUrl({ port }: ClusterProcess): string {
  return `postgres://app:app@127.0.0.1:${port}/postgres`
}
