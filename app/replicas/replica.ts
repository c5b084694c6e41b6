import type { Logger } from '#kernel/store'
import { openServerPool, sessionStatement } from '#store/connection/open-server-pool.ts'
import { defaultLimits } from '#store/connection/orm-options.ts'
import type { DatabaseLimits, DatabaseOptions } from '#store/connection/types.ts'
import { beginSnapshotOn } from '#store/transaction/begin.ts'
import type { Readable } from '#store/transaction/read-source.ts'
import type { LagWindow } from './lag-window.ts'
import type { ReplicaState } from './replica-state.ts'
import { pollPosition, replayPosition } from './wal-position.ts'

export interface ReplicasOptions extends Pick<DatabaseOptions, 'logger' | 'peers' | 'replicaUrls'> {
  readonly databaseUrl: string
  readonly limits: DatabaseLimits
  /** Whether a connection pooler is in front of the primary. */
  readonly isPooled: boolean
  readonly primary: Readable
}

/** A standby server that serves reads. */
export interface Replica extends Readable {
  /** The WAL position it has replayed; negative while it is unreachable. */
  readonly position: bigint
  readonly isReachable: boolean
  readonly state: ReplicaState
  /** Excludes it from reads until its position is known again. */
  markUnreachable(): void
  /** Waits a short time until it has replayed the position. After a time-out it does not wait again before that. */
  waitFor(position: bigint): Promise<void>
  close(): Promise<void>
}

/** Milliseconds a write waits for a replica. */
const writeWait = 100

const unreachable = -1n

export async function openReplica(
  url: string,
  { limits, isPooled, logger }: ReplicasOptions,
  lagWindow: LagWindow,
): Promise<Replica> {
  // No connection pooler is in front of a replica, even if there is one in front of the primary.
  const prepared = isPooled ? defaultLimits.prepared : limits.prepared
  const pool = await openServerPool({
    connectionString: url,
    limits: { ...limits, prepared },
    session: sessionStatement(limits),
    socketTimeout: (limits.statement + 1) * 1000,
  })
  let position = unreachable
  let missedPosition = 0n

  const name = new URL(url).host
  const report = createReporter(name, logger)
  const stateNow = (): ReplicaState['state'] =>
    position === unreachable ? 'unreachable' : position < lagWindow.position ? 'lagging' : 'available'
  const setPosition = (replayed: bigint | null) => {
    position = replayed ?? unreachable
    report(stateNow())
  }
  const poll = await pollPosition(url, replayPosition, setPosition)
  return {
    query: (sql, parameters, deadline) => pool.query(sql, parameters, deadline),
    beginSnapshot: () => pool.connect().then(beginSnapshotOn),
    get position() {
      return position
    },
    get isReachable() {
      return position !== unreachable
    },
    get state() {
      return { name, state: stateNow(), lag: position === unreachable ? 0 : lagWindow.computeLag(position) / 1000 }
    },
    markUnreachable: () => setPosition(null),
    async waitFor(required) {
      if (position === unreachable || position < missedPosition || position >= required) return
      if (!(await poll.reaches(required, writeWait))) missedPosition = required
    },
    async close() {
      await poll.close()
      await pool.end()
    },
  }
}

/** Logs changes of the state. A replica that lags from the start is logged only when it becomes available. */
function createReporter(replica: string, logger: Logger | undefined) {
  let latest = ''
  return (state: ReplicaState['state']) => {
    if (state === latest) return
    if (state === 'available') logger?.info({ replica }, 'Replica available; it serves reads.')
    if (state === 'lagging' && latest === 'available') {
      logger?.warn({ replica }, 'Replica lags too far behind; reads go to the primary.')
    }
    if (state === 'unreachable') {
      logger?.warn({ replica }, 'Replica unreachable or not in recovery; reads go to the primary.')
    }
    latest = state
  }
}
