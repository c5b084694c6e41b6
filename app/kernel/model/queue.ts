import type { Unit } from './provider.ts'

/** A job queue: jobs are enqueued inside a unit, run after its commit by a worker, and are retried if they fail. */
export interface Queue {
  /** Registers the workers by job name. Must be called before the first job is enqueued. */
  assign(workers: ReadonlyMap<string, Worker>, options: QueueOptions): void
  /** Starts to run queued jobs. Enqueueing the first job starts the queue, too. */
  start(): Promise<void>
  /** Starts no more jobs. Running jobs may finish within `stopSeconds`; otherwise they run again after the next start. */
  stop(): Promise<void>
}

export interface QueueOptions {
  /** A job whose worker sends no heartbeat for this time runs again. */
  readonly heartbeatSeconds: number
  /** How long `stop` waits for running jobs. */
  readonly stopSeconds: number
  /** Called with errors of the queue itself. */
  readonly report: (error: unknown) => void
}

/** Runs one job. If it throws, the job is retried later. */
export type Worker = (job: Job) => Promise<void>

export interface Job {
  readonly id: string
  readonly data: unknown
  /** The number of earlier attempts. */
  readonly attempt: number
  /** Aborted if the job is cancelled or the service stops. */
  readonly signal: AbortSignal
  /**
   * Saves the result and completes the job in one transaction, exactly once. Returns false, and saves nothing, if the job
   * was cancelled or taken over by another worker.
   */
  finish(work: (unit: Unit) => Promise<void>): Promise<boolean>
}
