import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Job as Claimed, PgBoss } from 'pg-boss'
import type { Job, Queue, QueueOptions, Store, Worker } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import type { StoreUnit } from '../unit.ts'

/** The queue as units of the store use it, inside their transactions. */
export interface StoreQueue extends Queue {
  add(job: string, data: object, em: SqlEntityManager): Promise<string>
  remove(job: string, id: string, em: SqlEntityManager): Promise<void>
}

/**
 * Thrown inside a unit that needs the queue while it is not open. It cannot be waited for there, because the embedded
 * database does nothing else as long as a transaction is open: the unit is rolled back, and runs again afterwards.
 */
export class QueueNotOpen extends Error {
  readonly opened: Promise<void>

  constructor(opened: Promise<void>) {
    super('The queue is not open yet.')
    this.opened = opened
    opened.catch(() => {}) // told where it is waited for
  }
}

/** The job is somebody else's by now, or nobody's: what its worker has done is rolled back. */
class JobLost extends Error {}

/** pg-boss is loaded when there is something to do. */
const loadBoss = () => import('./pg-boss.ts')
type Boss = Awaited<ReturnType<typeof loadBoss>>

/** Jobs in the tables of pg-boss, in the same database as everything else. */
export function createQueue(orm: Orm, write: Store['write'], listens: boolean): StoreQueue {
  // The first to ask may be inside a transaction; the workers are not.
  const outside = AsyncLocalStorage.snapshot()
  let workers: ReadonlyMap<string, Worker> = new Map()
  let options: QueueOptions
  let opening: Promise<void> | null = null
  let open: { readonly api: Boss; readonly boss: PgBoss } | null = null

  const start = (): Promise<void> => {
    opening ??= outside(begin).catch((error) => {
      opening = null
      throw error
    })
    return opening
  }

  async function begin(): Promise<void> {
    const api = await loadBoss()
    const boss = await api.openBoss(orm, [...workers.keys()], options, listens)
    for (const [job, worker] of workers) {
      await api.work(boss, job, listens, (claimed) => perform(api, boss, job, claimed, worker, write))
    }
    open = { api, boss }
  }

  const opened = (job: string) => {
    if (!workers.has(job)) throw new Error(`Nobody does the job '${job}'.`)
    if (!open) throw new QueueNotOpen(start())
    return open
  }

  return {
    assign(assigned, given) {
      workers = assigned
      options = given
    },
    start,

    async stop() {
      await opening?.catch(() => {})
      const boss = open?.boss
      opening = null
      open = null
      if (!boss) return
      const ended = Promise.all([...workers.keys()].map((job) => boss.offWork(job)))
      await Promise.race([ended, setTimeout(options.stopSeconds * 1000, undefined, { ref: false })])
      await boss.stop({ graceful: false })
    },

    async add(job, data, em) {
      const { api, boss } = opened(job)
      return api.send(boss, job, data, em)
    },

    async remove(job, id, em) {
      const { api, boss } = opened(job)
      await api.remove(boss, job, id, em)
    },
  }
}

async function perform(
  api: Boss,
  boss: PgBoss,
  name: string,
  claimed: Claimed,
  worker: Worker,
  write: Store['write'],
): Promise<void> {
  const { id, data, signal, retryCount: attempt } = claimed
  const finish: Job['finish'] = async (work) => {
    try {
      await write(async (unit) => {
        await work(unit)
        if (!(await api.complete(boss, name, claimed, (unit as StoreUnit).em))) throw new JobLost()
      })
      return true
    } catch (error) {
      if (error instanceof JobLost) return false
      throw error
    }
  }
  await worker({ id, data, attempt, signal, finish })
}
