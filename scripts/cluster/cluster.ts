import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/root.ts'
import { unset } from '../support/unset.ts'
import { createHost } from './app-process.ts'
import { createBalancer } from './balancer.ts'
import { createPlace } from './cluster-directory.ts'
import type { Part } from './cluster-process.ts'
import { createPooler } from './pooler.ts'
import { createServers, urlOf } from './postgres.ts'
import type { Programs } from './programs.ts'

/** The application as it is deployed, on one machine. */
export interface Cluster {
  readonly url: string
  readonly primary: Part
  readonly standby: Part
  readonly pooler: Part
  readonly hosts: readonly [Part, Part]
  readonly balancer: Part
  /** Where the parts write what they have to say, by their names. */
  logOf(part: Part): string
  stop(): Promise<void>
}

/** Servers, pooler, demo data, two processes of the application, balancer; what began last ends first. */
export async function startCluster(programs: Programs, env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const place = createPlace()
  const running: Part[] = []
  const start = async (...parts: Part[]) => {
    running.unshift(...parts)
    await Promise.all(parts.map((part) => part.start()))
  }
  const stop = async () => {
    for (const part of running) await part.stop()
    place.remove()
  }
  try {
    const { primary, standby } = await createServers(programs, place)
    await start(primary)
    const pooler = await createPooler(programs, place, primary)
    await start(standby, pooler)
    await fill(urlOf(primary))
    const variables = {
      DATABASE_URL: urlOf(pooler),
      DATABASE_POOLER: 'transaction',
      DATABASE_REPLICA_URLS: urlOf(standby),
      TRUST_PROXY: 'true',
      ...env,
    }
    const hosts = [await createHost('app1', place, variables), await createHost('app2', place, variables)] as const
    await start(...hosts)
    const balancer = await createBalancer(programs, place, hosts)
    await start(balancer)
    const url = `http://127.0.0.1:${balancer.port}`
    return { url, primary, standby, pooler, hosts, balancer, logOf: ({ name }) => place.file(`${name}.log`), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Migrations and demo data, straight on the server. */
async function fill(databaseUrl: string): Promise<void> {
  const env = { PATH: process.env.PATH, ...unset(), DATABASE_URL: databaseUrl }
  await promisify(execFile)(process.execPath, [join(root, 'scripts/seed.ts')], { env })
}
