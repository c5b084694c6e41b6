import { setTimeout } from 'node:timers/promises'
import type { Job, Worker } from '#jobs'
import type { App, Context, Registry, Store } from '#kernel/plugin'

/** Work that a write enqueues for a worker. */
export interface JobDefinition<Data extends object> {
  /** The name of the queue: letters, digits, hyphens. */
  readonly name: string
  readonly run: (data: Data, job: JobRun) => Promise<unknown>
}

/** One attempt of a job. It is retried if it throws, or if its process dies. */
export interface JobRun extends Omit<Job, 'data'> {
  /** Each access to the database is a unit of its own, outside of requests. */
  readonly store: Store
}

/** Declares a job: `defineJob('export-catalog', async ({ exportId }: Export, { finish }) => …)`. */
export function defineJob<Data extends object>(name: string, run: JobDefinition<Data>['run']): JobDefinition<Data> {
  return { name, run }
}

/** Enqueues a job in the transaction of the write and returns its id. A rollback discards the job. */
export function enqueue<Data extends object>(
  { name }: JobDefinition<Data>,
  data: Data,
  { unit }: Context,
): Promise<string> {
  return unit.enqueue(name, data)
}

/** Cancels a job in the transaction of the write, even if it is running. */
export function cancel({ name }: JobDefinition<never>, id: string, { unit }: Context): Promise<void> {
  return unit.dequeue(name, id)
}

/** The jobs of all types. */
export function listJobs({ types }: Registry): readonly JobDefinition<never>[] {
  return [...types.values()].flatMap(({ declaration }) => declaration.job ?? [])
}

/** Runs a job and logs its errors. `JOB_DELAY_SECONDS` delays it, so that its states can be observed in development. */
export function createWorker({ name, run }: JobDefinition<never>, { config, store, logger }: App): Worker {
  const delay = Number(config.variables.JOB_DELAY_SECONDS) * 1000
  return async ({ data, ...job }) => {
    try {
      if (delay > 0) await setTimeout(delay, undefined, { signal: job.signal })
      await run(data as never, { ...job, store })
    } catch (error) {
      if (!job.signal.aborted)
        logger?.error(
          { err: error, job: name, id: job.id, attempt: job.attempt },
          'A job failed; it is retried until its attempts are used up',
        )
      throw error
    }
  }
}
