import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/root.ts'
import { unset } from '../support/unset.ts'
import type { Place } from './cluster-directory.ts'
import { createPart, type Part } from './cluster-process.ts'

/** A process of the application. */
export async function createHost(name: string, place: Place, env: Readonly<Record<string, string>>): Promise<Part> {
  const port = await freePort()
  return createPart({
    name,
    port,
    command: process.execPath,
    args: [join(root, 'app/main.ts')],
    env: { ...unset(), ...env, PORT: String(port) },
    ready: /Listening on /,
    signals: { stop: 'SIGTERM', kill: 'SIGKILL' },
    log: place.file(`${name}.log`),
  })
}
