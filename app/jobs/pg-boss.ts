import type { SqlEntityManager } from '@mikro-orm/sql'
import { type ConstructorOptions, fromKysely, fromPglite, type Job, PgBoss } from 'pg-boss'
import { embeddedClient } from '#store/connection/entity-manager.ts'
import type { Orm } from '#store/connection/types.ts'
import type { QueueOptions } from './contract.ts'

/** Retries a failed job after about 1, 2, 4, 8 and 16 seconds. Then it stays in the queue as failed (dead letter). */
const retries = { retryLimit: 5, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 }

/** Seconds for which a finished job is kept after its interval: some jobs run every second. */
const finishedSeconds = 3_600

export interface JobDatabase {
  readonly orm: Orm
  /** URL of the server; undefined on the embedded database. */
  readonly url: string | undefined
  /** Whether its connections can LISTEN for new jobs. */
  readonly listens: boolean
}

/** The job queue of pg-boss. Changes of jobs are part of the transaction of the EntityManager. */
export type Boss = Awaited<ReturnType<typeof openBoss>>

/** Starts pg-boss, which creates its tables on the first start, with a queue for each job. */
export async function openBoss(
  database: JobDatabase,
  jobs: readonly string[],
  { heartbeatSeconds, report }: QueueOptions,
) {
  // A job whose worker sends no heartbeat, because its process died, is retried by another worker.
  const supervision = Math.ceil(heartbeatSeconds / 2)
  const boss = new PgBoss({
    ...(await connectionOptions(database)),
    schedule: false,
    useListenNotify: database.listens,
    superviseIntervalSeconds: supervision,
    monitorIntervalSeconds: supervision,
    maintenanceIntervalSeconds: finishedSeconds,
  })
  boss.on('error', report)
  try {
    await boss.start()
    for (const job of jobs) await openQueue(boss, job, heartbeatSeconds)
  } catch (error) {
    await boss.stop({ graceful: false })
    throw error
  }
  const timers: NodeJS.Timeout[] = []
  return {
    boss,

    /** Enqueues a job now and at an interval; of several processes, the first one in each interval does. */
    repeat(job: string, interval: number, onError: (error: unknown) => void): void {
      // The finished job prevents another one in the interval, so that it is kept for longer.
      const deleteAfterSeconds = interval + finishedSeconds
      const once = { singletonKey: 'repeat', singletonSeconds: interval, deleteAfterSeconds }
      const send = () => void boss.send(job, {}, once).catch(onError)
      send()
      timers.push(setInterval(send, interval * 1000).unref())
    },

    stopRepeating(): void {
      for (const timer of timers.splice(0)) clearInterval(timer)
    },

    /**
     * Performs jobs one after the other. A new job starts immediately by LISTEN and NOTIFY, a retried one within two
     * seconds; without LISTEN the queue is polled every second.
     */
    async work(job: string, perform: (claimed: Job) => Promise<void>): Promise<void> {
      const options = { pollingIntervalSeconds: database.listens ? 2 : 1, notifyPollingIntervalSeconds: 2 }
      const worker: string = await boss.work(job, options, async ([claimed]) => {
        boss.notifyWorker(worker) // fetches the next job without a pause
        await perform(claimed as Job)
      })
    },

    async send(job: string, data: object, em: SqlEntityManager): Promise<string> {
      return (await boss.send(job, data, toTransaction(em))) as string
    },

    async remove(job: string, id: string, em: SqlEntityManager): Promise<void> {
      await boss.deleteJob(job, id, toTransaction(em))
    },

    /** Returns false if the job was removed from the queue or claimed by another worker meanwhile. */
    async complete(job: string, { id, retryCount }: Job, em: SqlEntityManager): Promise<boolean> {
      const completed = await boss.complete(job, { id, retryCount }, null, toTransaction(em))
      return (completed as { affected: number }).affected === 1
    },
  }
}

function toTransaction(em: SqlEntityManager) {
  return { db: fromKysely(em.getKysely()) }
}

async function openQueue(boss: PgBoss, job: string, heartbeatSeconds: number): Promise<void> {
  const settings = { ...retries, heartbeatSeconds, notify: true }
  await boss.createQueue(job, settings)
  await boss.updateQueue(job, settings)
  // Makes pg-boss cache the queue: a lookup inside an open transaction would deadlock on the embedded database.
  await boss.findJobs(job, { id: '00000000-0000-0000-0000-000000000000' })
}

/** Shares the single session of the embedded database; on a server the queue has two connections of its own. */
async function connectionOptions({ orm, url }: JobDatabase): Promise<ConstructorOptions> {
  if (url) return { connectionString: url, max: 2, application_name: 'jobs' }
  return { db: fromPglite(await embeddedClient(orm)), backend: 'pglite' }
}
