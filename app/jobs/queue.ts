import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Job as BossJob } from 'pg-boss'
import type { Store } from '#kernel/store'
import type { StoreQueue } from '#store/connection/types.ts'
import { runEnqueue, runJob } from '#store/observers.ts'
import type { StoreUnit } from '#store/unit.ts'
import { readBacklog } from './backlog.ts'
import type { Job, QueueOptions, Worker } from './contract.ts'
import { takeHeaders, withHeaders } from './job-headers.ts'
import type { Boss, JobDatabase } from './pg-boss.ts'

/**
 * Thrown inside a unit that needs the queue before it is open. The unit is rolled back and retried after the queue has
 * opened, because the embedded database cannot open it while a transaction holds its only connection.
 */
export class QueueNotOpen extends Error {
  readonly opened: Promise<void>

  constructor(opened: Promise<void>) {
    super('The queue is not open yet.')
    this.opened = opened
    opened.catch(() => {}) // handled by the retry, which awaits it
  }
}

/** Seconds between two attempts to open the queue, at most. */
const longestPause = 60

/** Thrown to roll back the work of a job that was removed or claimed by another worker meanwhile. */
class JobLost extends Error {}

/** Creates the job queue, in tables of pg-boss in the same database. Loads pg-boss on first use. */
export function createQueue(database: JobDatabase, write: Store['write']): StoreQueue {
  // The queue may be opened inside a transaction; its workers must not inherit that context.
  const outside = AsyncLocalStorage.snapshot()
  const workers = new Map<string, Worker>()
  const intervals = new Map<string, number>()
  let options: QueueOptions = { heartbeatSeconds: 30, stopSeconds: 10, report: () => {} }
  let opening: Promise<void> | null = null
  let open: Boss | null = null
  let stopping = new AbortController()

  const start = (): Promise<void> => {
    opening ??= outside(openQueue).catch((error) => {
      opening = null
      throw error
    })
    return opening
  }

  async function retryStart(onFailure: (error: unknown) => void): Promise<void> {
    const { signal } = stopping
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await start()
      } catch (error) {
        if (failures === 0) onFailure(error)
      }
      const pause = Math.min(2 ** failures, longestPause)
      await setTimeout(pause * 1000, undefined, { ref: false, signal }).catch(() => {}) // stopped
    }
  }

  async function openQueue(): Promise<void> {
    const { openBoss } = await import('./pg-boss.ts')
    const opened = await openBoss(database, [...workers.keys()], options)
    for (const [job, worker] of workers) {
      await opened.work(job, (claimed) => perform(opened, job, claimed, worker, write))
    }
    for (const [job, interval] of intervals) opened.repeat(job, interval, options.report)
    open = opened
  }

  const requireOpen = (job: string): Boss => {
    if (!workers.has(job)) throw new Error(`No worker is registered for the job '${job}'.`)
    if (!open) throw new QueueNotOpen(start())
    return open
  }

  return {
    assign(assigned, queueOptions) {
      for (const [job, worker] of assigned) workers.set(job, worker)
      options = { ...options, ...queueOptions }
    },
    repeat(job, interval) {
      intervals.set(job, interval)
      open?.repeat(job, interval, options.report)
    },
    start,
    startWithRetries: (onFailure) => void retryStart(onFailure),

    /** Graceful shutdown: waits for the running jobs, but not longer than `stopSeconds`. */
    async stop() {
      stopping.abort()
      stopping = new AbortController()
      await opening?.catch(() => {})
      const boss = open?.boss
      open?.stopRepeating()
      opening = null
      open = null
      if (!boss) return
      const ended = Promise.all([...workers.keys()].map((job) => boss.offWork(job)))
      await Promise.race([ended, setTimeout(options.stopSeconds * 1000, undefined, { ref: false })])
      await boss.stop({ graceful: false })
    },

    backlog: async () => (open ? readBacklog(database.orm, [...workers.keys()]) : []),
    async add(job, data, em) {
      const boss = requireOpen(job)
      return runEnqueue(job, (headers) => boss.send(job, withHeaders(data, headers), em))
    },
    remove: async (job, id, em) => requireOpen(job).remove(job, id, em),
  }
}

async function perform(
  boss: Boss,
  name: string,
  claimed: BossJob,
  worker: Worker,
  write: Store['write'],
): Promise<void> {
  const { id, signal, retryCount: attempt } = claimed
  const { headers, data } = takeHeaders(claimed.data)
  const finish: Job['finish'] = async (work) => {
    try {
      await write(async (unit) => {
        await work(unit)
        if (!(await boss.complete(name, claimed, (unit as StoreUnit).em))) throw new JobLost()
      })
      return true
    } catch (error) {
      if (error instanceof JobLost) return false
      throw error
    }
  }
  await runJob({ name, id, attempt, headers }, () => worker({ id, data, attempt, signal, finish }))
}
