import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../support/root.ts'
import { unset } from '../../support/unset.ts'
import { createAppProcess } from './app-process.ts'
import { createBalancer } from './balancer.ts'
import { createClusterDirectory } from './cluster-directory.ts'
import type { ClusterProcess } from './cluster-process.ts'
import { createPooler } from './pooler.ts'
import { clusterUrl, createServers } from './postgres.ts'
import type { Programs } from './programs.ts'

/** The deployed processes, on one machine. */
export interface Cluster {
  readonly url: string
  readonly primary: ClusterProcess
  readonly standby: ClusterProcess
  readonly pooler: ClusterProcess
  readonly hosts: readonly [ClusterProcess, ClusterProcess]
  readonly balancer: ClusterProcess
  /** Returns the log file of a process. */
  logOf(process: ClusterProcess): string
  stop(): Promise<void>
}

/** Starts servers, pooler, two processes of the application and balancer on demo data. Stops them in reverse order. */
export async function startCluster(programs: Programs, env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const directory = createClusterDirectory()
  const running: ClusterProcess[] = []
  const start = async (...processes: ClusterProcess[]) => {
    running.unshift(...processes)
    await Promise.all(processes.map((process) => process.start()))
  }
  const stop = async () => {
    for (const process of running) await process.stop()
    directory.remove()
  }
  try {
    const { primary, standby } = await createServers(programs, directory)
    await start(primary)
    const pooler = await createPooler(programs, directory, primary)
    await start(standby, pooler)
    await seedDatabase(clusterUrl(primary))
    const variables = {
      DATABASE_URL: clusterUrl(pooler),
      DATABASE_POOLER: 'transaction',
      DATABASE_REPLICA_URLS: clusterUrl(standby),
      TRUST_PROXY: 'true',
      ...env,
    }
    const hosts = [
      await createAppProcess('app1', directory, variables),
      await createAppProcess('app2', directory, variables),
    ] as const
    await start(...hosts)
    const balancer = await createBalancer(programs, directory, hosts)
    await start(balancer)
    const url = `http://127.0.0.1:${balancer.port}`
    return { url, primary, standby, pooler, hosts, balancer, logOf: ({ name }) => directory.file(`${name}.log`), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Runs migrations and loads the demo data, without the pooler. */
async function seedDatabase(databaseUrl: string): Promise<void> {
  const env = { PATH: process.env.PATH, ...unset(), DATABASE_URL: databaseUrl }
  await promisify(execFile)(process.execPath, [join(root, 'scripts/seed.ts')], { env })
}
