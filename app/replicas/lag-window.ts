/** Observed WAL positions of the primary: they show whether the replication lag of a replica is longer than allowed. */
export interface LagWindow {
  /** The position at the start of the window: a replica that has not replayed it lags too far behind. */
  readonly position: bigint
  readonly latest: bigint
  add(position: bigint): void
  /** Milliseconds since the primary was first observed beyond the position; at most about the length of the window. */
  computeLag(position: bigint): number
}

/** Greater than all of the 2^64 positions. */
const unreachablePosition = 1n << 64n

/**
 * Creates a window of the given length. Its start is the first observation until the window is full, and the last one
 * while the primary is unreachable.
 */
export function createLagWindow(milliseconds: number, now = () => performance.now()): LagWindow {
  const observed: { readonly at: number; readonly position: bigint }[] = []
  return {
    get position() {
      return observed[0]?.position ?? unreachablePosition
    },
    get latest() {
      return observed.at(-1)?.position ?? 0n
    },
    add(position) {
      const at = now()
      observed.push({ at, position })
      while (observed[1] && observed[1].at <= at - milliseconds) observed.shift()
    },
    computeLag(position) {
      const missed = observed.find((observation) => observation.position > position)
      return missed ? now() - missed.at : 0
    },
  }
}
