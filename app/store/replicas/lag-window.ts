/** Where the primary was some time ago: a replica that is not there yet is too far behind. */
export interface Horizon {
  readonly position: bigint
  /** Where it was when it was last observed. */
  readonly latest: bigint
  note(position: bigint): void
}

/** Greater than all positions, of which there are 2^64. */
const unknown = 1n << 64n

/** Without an older observation the first one counts; while the primary is away the last. */
export function createHorizon(milliseconds: number): Horizon {
  const seen: { readonly at: number; readonly position: bigint }[] = []
  return {
    get position() {
      return seen[0]?.position ?? unknown
    },
    get latest() {
      return seen.at(-1)?.position ?? 0n
    },
    note(position) {
      const at = performance.now()
      seen.push({ at, position })
      while (seen[1] && seen[1].at <= at - milliseconds) seen.shift()
    },
  }
}
