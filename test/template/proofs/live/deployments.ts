import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RandomSource } from '#test/conformance/random.ts'
import { findProgram } from '../../../../scripts/template/cluster/programs.ts'
import { withPooler } from '../../../../scripts/template/pooler.ts'
import { withNewDatabase } from '../list-service/database.ts'
import { type ChildWorld, startChildWorld } from './child-world.ts'
import { type Deployment, requesters } from './run-live.ts'
import type { DeniedRows } from './world.ts'

type Environment = Readonly<Record<string, string>>
type Work<T> = (deployment: Deployment) => Promise<T>

/** Runs the work with one process on the embedded database: its files have one owner. */
export async function withEmbedded<T>(environment: Environment, draw: RandomSource, work: Work<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'prove-live-'))
  try {
    return await withProcesses(1, false, { ...environment, DATA_DIR: directory }, {}, draw, work)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Runs the work with two processes on a PostgreSQL server, of which one is killed at a time. */
export function withServer<T>(environment: Environment, draw: RandomSource, work: Work<T>): Promise<T> {
  return withNewDatabase((url) => withProcesses(2, true, { ...environment, DATABASE_URL: url }, {}, draw, work))
}

/** The same behind PgBouncer in transaction mode. */
export function withPooledServer<T>(environment: Environment, draw: RandomSource, work: Work<T>): Promise<T> {
  const pgbouncer = findProgram('pgbouncer')
  if (!pgbouncer) throw new Error('PgBouncer is not installed: apt-get install pgbouncer.')
  return withNewDatabase((url) =>
    withPooler(pgbouncer, url, (pooledUrl) => {
      const pooled = { ...environment, DATABASE_URL: pooledUrl, DATABASE_POOLER: 'transaction' }
      return withProcesses(2, true, pooled, { DATABASE_URL: url, DATABASE_POOLER: '' }, draw, work)
    }),
  )
}

/** `forSchema`: other variables of the process that creates the schema. */
async function withProcesses<T>(
  count: number,
  isServer: boolean,
  environment: Environment,
  forSchema: Environment,
  draw: RandomSource,
  work: Work<T>,
): Promise<T> {
  const denied = new Map<number, DeniedRows>()
  const start = async (env = environment) => {
    const started = await startChildWorld(env)
    await started.call({ denied: [...denied.values()] })
    return started
  }
  const first = await start({ ...environment, ...forSchema, CREATE_SCHEMA: 'true' })
  await first.kill()
  /** The processes, or those that take their place. */
  const running = await Promise.all(Array.from({ length: count }, () => start()))
  const processes: Promise<ChildWorld>[] = running.map((one) => Promise.resolve(one))
  const any = () => draw.below(count)
  try {
    return await work({
      isServer,
      requesters,
      urlFor: (requester) => running[any()]?.urls[requester] as string,
      write: async (statements) => (await (processes[any()] as Promise<ChildWorld>)).call({ write: statements }),
      async deny(one) {
        denied.set(one.requester, one)
        for (const process of processes) await (await process).call({ denied: [one] }).catch(() => {}) // killed meanwhile
      },
      async kill() {
        const index = any()
        await running[index]?.kill()
        processes[index] = start()
        running[index] = await processes[index]
      },
    })
  } finally {
    await Promise.all(processes.map(async (process) => (await process).kill()))
  }
}
