import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPart } from '../cluster/part.ts'
import { createPlace } from '../cluster/place.ts'
import { freePort } from './free-port.ts'
import { root } from './root.ts'

/**
 * Runs the work behind PgBouncer as it is deployed: all databases of the server, with fewer connections than are asked
 * for, so that every transaction may find itself in another session.
 */
export async function withPooler<T>(
  pgbouncer: string,
  databaseUrl: string,
  work: (pooledUrl: string) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const place = createPlace()
  const settings = place.file('pgbouncer.ini')
  writeFileSync(settings, settingsOf(new URL(databaseUrl), port))
  const pooler = createPart({
    name: 'pooler',
    port,
    command: pgbouncer,
    args: [settings],
    ...place.unprivileged,
    ready: /process up/,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: place.file('pooler.log'),
  })
  await pooler.start()
  try {
    return await work(Object.assign(new URL(databaseUrl), { port }).href)
  } finally {
    await pooler.stop()
    place.remove()
  }
}

function settingsOf({ hostname, port, username, password }: URL, listenPort: number): string {
  return (
    readFileSync(join(root, 'deploy/pgbouncer.ini'), 'utf8')
      .replace('host=primary port=5432', `host=${hostname} port=${port} user=${username} password=${password}`)
      .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
      .replace(/^listen_port = .*$/m, `listen_port = ${listenPort}`)
      .replace(/^auth_type = .*$/m, 'auth_type = any')
      .replace(/^auth_file = .*$/m, '')
      .replace(/^default_pool_size = .*$/m, 'default_pool_size = 6')
      // A busy machine takes its time.
      .replace(/^query_wait_timeout = .*$/m, 'query_wait_timeout = 60')
  )
}
