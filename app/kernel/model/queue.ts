import type { Unit } from './provider.ts'

/** Work that outlives its request: handed over inside a unit, done later by a worker, and again when it fails. */
export interface Queue {
  /** Says who does which job, by its name; before the first of them is handed over. */
  assign(workers: ReadonlyMap<string, Worker>, options: QueueOptions): void
  /** Begins to do what waits. The first job that is handed over begins it as well. */
  start(): Promise<void>
  /** Takes up nothing more; what is under way may finish within a limit, and else runs again after the next start. */
  stop(): Promise<void>
}

export interface QueueOptions {
  /** A job whose worker gives no sign of life for so long runs again. */
  readonly heartbeatSeconds: number
  /** How long a stop waits for what is under way. */
  readonly stopSeconds: number
  /** Is told of faults of the queue itself. */
  readonly report: (error: unknown) => void
}

/** Does one job; what it throws makes the job run again, some time later. */
export type Worker = (job: Job) => Promise<void>

export interface Job {
  readonly id: string
  readonly data: unknown
  /** How often it was begun before. */
  readonly attempt: number
  /** Aborted when nobody waits for the job any more, and when the service ends. */
  readonly signal: AbortSignal
  /**
   * Saves the result and ends the job in one transaction: both once, whatever happens. False when nobody waits for the
   * job any more, or another worker has it: then nothing is saved.
   */
  finish(work: (unit: Unit) => Promise<void>): Promise<boolean>
}
