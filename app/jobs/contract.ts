import type { Unit } from '#kernel/store'

declare module '#kernel/store' {
  interface Store {
    readonly queue: Queue
  }
  interface StoreObserver {
    /** Enqueues a job by `add`, with headers that `onJob` receives when the job runs. */
    onEnqueue?(job: string, add: (headers: JobHeaders) => Promise<string>): Promise<string>
    /** Runs one attempt of a job by `work`. */
    onJob?(job: ObservedJob, work: () => Promise<void>): Promise<void>
  }
}

/** A job queue: jobs are enqueued inside a unit, run after its commit by a worker, and are retried if they fail. */
export interface Queue {
  /** Adds workers by job name, and sets options. Must be called before the queue starts. */
  assign(workers: ReadonlyMap<string, Worker>, options?: Partial<QueueOptions>): void
  /** Runs a job at an interval in seconds while the queue runs, once for all processes. Begins now if the queue is open. */
  repeat(job: string, interval: number): void
  /** Starts to run queued jobs. Enqueueing the first job starts the queue, too. */
  start(): Promise<void>
  /** Starts in the background, after a failure again and again until `stop`. `onFailure` receives the first failure. */
  startWithRetries(onFailure: (error: unknown) => void): void
  /** Starts no more jobs. Running jobs may finish within `stopSeconds`; otherwise they run again after the next start. */
  stop(): Promise<void>
  /** Returns the due jobs that no worker has begun, for every job with a worker. Empty while the queue is not open. */
  backlog?(): Promise<readonly JobBacklog[]>
}

export interface JobBacklog {
  readonly job: string
  readonly waiting: number
  /** Seconds since the oldest waiting job was due; 0 if none waits. */
  readonly oldestSeconds: number
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

/** Texts that are stored with a job, beside its data. */
export type JobHeaders = Readonly<Record<string, string>>

export interface ObservedJob extends Pick<Job, 'id' | 'attempt'> {
  readonly name: string
  readonly headers: JobHeaders
}
