import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/root.ts'
import type { Place } from './cluster-directory.ts'
import { createPart, type Part } from './cluster-process.ts'
import type { Programs } from './programs.ts'

/** PgBouncer as it is deployed, but for addresses and users. */
export async function createPooler({ pgbouncer }: Programs, place: Place, primary: Part): Promise<Part> {
  const users = place.file('userlist.txt')
  writeFileSync(users, '"app" "app"\n')
  return createPoolerHere(pgbouncer, place, 'SIGINT', (deployed) =>
    deployed
      .replace('host=primary port=5432', `host=127.0.0.1 port=${primary.port}`)
      .replace(/^auth_file = .*$/m, `auth_file = ${users}`),
  )
}

/** The same on a free port of this machine, with settings of its own. */
export async function createPoolerHere(
  pgbouncer: string,
  place: Place,
  stop: 'SIGINT' | 'SIGTERM',
  settingsOf: (deployed: string) => string,
): Promise<Part> {
  const port = await freePort()
  const settings = place.file('pgbouncer.ini')
  const here = settingsOf(readFileSync(join(root, 'deploy/pgbouncer.ini'), 'utf8'))
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^listen_port = .*$/m, `listen_port = ${port}`)
  writeFileSync(settings, here)
  return createPart({
    name: 'pooler',
    port,
    command: pgbouncer,
    args: [settings],
    ...place.unprivileged,
    ready: /process up/,
    signals: { stop, kill: 'SIGKILL' },
    log: place.file('pooler.log'),
  })
}
