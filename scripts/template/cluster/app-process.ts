import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { root } from '../../support/root.ts'
import { unset } from '../../support/unset.ts'
import type { ClusterDirectory } from './cluster-directory.ts'
import { type ClusterProcess, createClusterProcess } from './cluster-process.ts'

/** Creates a process of the application, on a free port. */
export async function createAppProcess(
  name: string,
  directory: ClusterDirectory,
  env: Readonly<Record<string, string>>,
): Promise<ClusterProcess> {
  const port = await freePort()
  return createClusterProcess({
    name,
    port,
    command: process.execPath,
    args: [join(root, 'app/main.ts')],
    env: { ...unset(), ...env, PORT: String(port) },
    ready: /Listening on /,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: directory.file(`${name}.log`),
  })
}
