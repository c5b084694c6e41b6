import { setTimeout } from 'node:timers/promises'
import type { App, Context, Job, Registry, Store, Worker } from '#kernel/plugin'

/** Work that a write hands over, to be done by a worker. */
export interface JobDefinition<Data extends object> {
  /** Jobs that wait in the queue are known by it: letters, digits, hyphens. */
  readonly name: string
  readonly run: (data: Data, job: JobRun) => Promise<unknown>
}

/** One run of a job; another follows when this one throws, or its process dies. */
export interface JobRun extends Omit<Job, 'data'> {
  /** Outside of requests every access to the database is a unit of its own. */
  readonly store: Store
}

/** Declares a job: `defineJob('export-catalog', async ({ exportId }: Export, { finish }) => …)`. */
export function defineJob<Data extends object>(name: string, run: JobDefinition<Data>['run']): JobDefinition<Data> {
  return { name, run }
}

/** Hands over a job as part of the write: it is done after the commit, and never after a rollback. Its id. */
export function enqueue<Data extends object>(
  { name }: JobDefinition<Data>,
  data: Data,
  { unit }: Context,
): Promise<string> {
  return unit.enqueue(name, data)
}

/** Takes a job back as part of the write, also one that is under way. */
export function cancel({ name }: JobDefinition<never>, id: string, { unit }: Context): Promise<void> {
  return unit.dequeue(name, id)
}

/** All jobs the types declare. */
export function jobsOf({ types }: Registry): readonly JobDefinition<never>[] {
  return [...types.values()].flatMap(({ declaration }) => declaration.job ?? [])
}

/** Does a job, some time later in development, so that one can watch it; what goes wrong is logged. */
export function workerOf({ name, run }: JobDefinition<never>, { config, store, logger }: App): Worker {
  const delay = Number(config.variables.JOB_DELAY_SECONDS) * 1000
  return async ({ data, ...job }) => {
    try {
      if (delay > 0) await setTimeout(delay, undefined, { signal: job.signal })
      await run(data as never, { ...job, store })
    } catch (error) {
      if (!job.signal.aborted)
        logger?.error({ err: error, job: name, id: job.id, attempt: job.attempt }, 'A job failed')
      throw error
    }
  }
}
