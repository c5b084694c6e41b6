import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { root } from '../../support/root.ts'
import type { ClusterDirectory } from './cluster-directory.ts'
import { type ClusterProcess, createClusterProcess } from './cluster-process.ts'
import type { Programs } from './programs.ts'

/** Creates HAProxy with the deployed configuration. */
export async function createBalancer(
  { haproxy }: Programs,
  directory: ClusterDirectory,
  hosts: readonly ClusterProcess[],
): Promise<ClusterProcess> {
  const port = await freePort()
  const [first, second] = hosts.map((host) => `127.0.0.1:${host.port}`) as [string, string]
  return createClusterProcess({
    name: 'balancer',
    port,
    command: haproxy,
    args: ['-W', '-db', '-f', join(root, 'deploy/haproxy.cfg')],
    env: { LISTEN: `127.0.0.1:${port}`, APP_1: first, APP_2: second },
    ready: /Loading success/,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: directory.file('balancer.log'),
  })
}
