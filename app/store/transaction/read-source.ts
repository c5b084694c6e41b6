import type { DirectQuery, SnapshotConnection } from '../connection/types.ts'

/** A database that serves reads. */
export interface Readable {
  /** Runs a statement outside of transactions. */
  readonly query: DirectQuery
  beginSnapshot(): Promise<SnapshotConnection>
}

/** The database that serves one read: the primary or a replica. */
export interface ReadSource extends Readable {
  /** Whether the read must start again, on the primary, after the error of a snapshot on a replica. */
  failsOver(error: unknown): boolean
}

export function primarySource(primary: Readable): ReadSource {
  return { ...primary, failsOver: () => false }
}
