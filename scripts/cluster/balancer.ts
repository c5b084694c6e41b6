import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/root.ts'
import type { Place } from './cluster-directory.ts'
import { createPart, type Part } from './cluster-process.ts'
import type { Programs } from './programs.ts'

/** HAProxy as it is deployed. */
export async function createBalancer({ haproxy }: Programs, place: Place, hosts: readonly Part[]): Promise<Part> {
  const port = await freePort()
  const [first, second] = hosts.map((host) => `127.0.0.1:${host.port}`) as [string, string]
  return createPart({
    name: 'balancer',
    port,
    command: haproxy,
    args: ['-W', '-db', '-f', join(root, 'deploy/haproxy.cfg')],
    env: { LISTEN: `127.0.0.1:${port}`, APP_1: first, APP_2: second },
    ready: /Loading success/,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: place.file('balancer.log'),
  })
}
