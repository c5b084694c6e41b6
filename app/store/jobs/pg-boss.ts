import type { PGlite } from '@electric-sql/pglite'
import type { SqlEntityManager } from '@mikro-orm/sql'
import { type ConstructorOptions, fromKysely, fromPglite, type Job, PgBoss } from 'pg-boss'
import type { QueueOptions } from '#kernel/store'
import type { Orm } from '../connection/types.ts'

/** What failed is tried again after about 1, 2, 4, 8 and 16 seconds. */
const retries = { retryLimit: 5, retryDelay: 1, retryBackoff: true, retryDelayMax: 300 }

/** Opens the tables of pg-boss, which it makes itself the first time, with a queue for each job. */
export async function openBoss(
  orm: Orm,
  jobs: readonly string[],
  { heartbeatSeconds, report }: QueueOptions,
  listens: boolean,
): Promise<PgBoss> {
  const supervision = Math.ceil(heartbeatSeconds / 2)
  const boss = new PgBoss({
    ...(await connectionOf(orm)),
    schedule: false,
    useListenNotify: listens,
    superviseIntervalSeconds: supervision,
    monitorIntervalSeconds: supervision,
  })
  boss.on('error', report)
  try {
    await boss.start()
    for (const job of jobs) await openQueue(boss, job, heartbeatSeconds)
  } catch (error) {
    await boss.stop({ graceful: false })
    throw error
  }
  return boss
}

/**
 * Does one job after the other; new ones are heard of at once, those that are tried again within two seconds. Who cannot
 * listen looks every second.
 */
export async function work(
  boss: PgBoss,
  job: string,
  listens: boolean,
  perform: (claimed: Job) => Promise<void>,
): Promise<void> {
  const options = { pollingIntervalSeconds: listens ? 2 : 1, notifyPollingIntervalSeconds: 2 }
  let worker = ''
  worker = await boss.work(job, options, async ([claimed]) => {
    boss.notifyWorker(worker) // looks for the next one without a pause
    await perform(claimed as Job)
  })
}

export async function send(boss: PgBoss, job: string, data: object, em: SqlEntityManager): Promise<string> {
  return (await boss.send(job, data, { db: fromKysely(em.getKysely()) })) as string
}

export async function remove(boss: PgBoss, job: string, id: string, em: SqlEntityManager): Promise<void> {
  await boss.deleteJob(job, id, { db: fromKysely(em.getKysely()) })
}

/** False when the attempt does not count any more: the job was taken out of the queue, or given to another worker. */
export async function complete(
  boss: PgBoss,
  job: string,
  { id, retryCount }: Job,
  em: SqlEntityManager,
): Promise<boolean> {
  const completed = await boss.complete(job, { id, retryCount }, null, { db: fromKysely(em.getKysely()) })
  return (completed as { affected: number }).affected === 1
}

async function openQueue(boss: PgBoss, job: string, heartbeatSeconds: number): Promise<void> {
  const settings = { ...retries, heartbeatSeconds, notify: true }
  await boss.createQueue(job, settings)
  await boss.updateQueue(job, settings)
  // From here on pg-boss knows the queue: to look it up inside an open transaction would wait for ever on the embedded
  // database.
  await boss.findJobs(job, { id: '00000000-0000-0000-0000-000000000000' })
}

/** The embedded database has one session, which is shared; a server gives the queue connections of its own. */
async function connectionOf(orm: Orm): Promise<ConstructorOptions> {
  const { connectionString } = orm.config.get('driverOptions') as { connectionString?: string }
  if (connectionString) return { connectionString, max: 2, application_name: 'jobs' }
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<PGlite> }
  return { db: fromPglite(await connection.getNativeClient()), backend: 'pglite' }
}
