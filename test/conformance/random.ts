export interface RandomSource {
  /** A whole number from 0 up to, not including, the limit. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
  /** Returns true in the given percentage of calls. */
  chance(percent: number): boolean
}

/** Creates a seeded pseudo-random generator (mulberry32): a seed gives the same requests on every machine. */
export function createRandomSource(seed: number): RandomSource {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return Math.floor((((value ^ (value >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }
  return {
    below,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
    chance: (percent) => below(100) < percent,
  }
}
