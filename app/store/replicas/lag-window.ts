/** Observed WAL positions of the primary, which tell whether a replica lags too far behind. */
export interface LagWindow {
  /** Where the primary was at the start of the window: a replica that has not replayed it lags too far behind. */
  readonly position: bigint
  /** The latest observed position. */
  readonly latest: bigint
  add(position: bigint): void
}

/** Greater than all of the 2^64 positions. */
const beyondAll = 1n << 64n

/**
 * Creates a window of the given length. Before it is full its first observation counts; while the primary is unreachable,
 * the last one.
 */
export function createLagWindow(milliseconds: number, now = () => performance.now()): LagWindow {
  const observed: { readonly at: number; readonly position: bigint }[] = []
  return {
    get position() {
      return observed[0]?.position ?? beyondAll
    },
    get latest() {
      return observed.at(-1)?.position ?? 0n
    },
    add(position) {
      const at = now()
      observed.push({ at, position })
      while (observed[1] && observed[1].at <= at - milliseconds) observed.shift()
    },
  }
}
