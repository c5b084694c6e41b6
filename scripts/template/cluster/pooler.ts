import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { root } from '../../support/root.ts'
import type { ClusterDirectory } from './cluster-directory.ts'
import { type ClusterProcess, createClusterProcess } from './cluster-process.ts'
import type { Programs } from './programs.ts'

/** Creates PgBouncer with the deployed configuration, except for addresses and users. */
export async function createPooler(
  { pgbouncer }: Programs,
  directory: ClusterDirectory,
  primary: ClusterProcess,
): Promise<ClusterProcess> {
  const users = directory.file('userlist.txt')
  writeFileSync(users, '"app" "app"\n')
  return createLocalPooler(pgbouncer, directory, 'SIGINT', (deployed) =>
    deployed
      .replace('host=primary port=5432', `host=127.0.0.1 port=${primary.port}`)
      .replace(/^auth_file = .*$/m, `auth_file = ${users}`),
  )
}

/** Creates PgBouncer on a free local port; `settingsOf` adapts the deployed settings. */
export async function createLocalPooler(
  pgbouncer: string,
  directory: ClusterDirectory,
  stop: 'SIGINT' | 'SIGTERM',
  settingsOf: (deployed: string) => string,
): Promise<ClusterProcess> {
  const port = await freePort()
  const settings = directory.file('pgbouncer.ini')
  const local = settingsOf(readFileSync(join(root, 'deploy/pgbouncer.ini'), 'utf8'))
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
  writeFileSync(settings, local)
  return createClusterProcess({
    name: 'pooler',
    port,
    command: pgbouncer,
    args: [settings],
    ...directory.unprivileged,
    ready: /process up/,
    signals: { stop, kill: 'SIGKILL' },
    log: directory.file('pooler.log'),
  })
}
