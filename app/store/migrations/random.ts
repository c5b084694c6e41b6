/** Deterministic random values for one row: the same type and row always give the same values. */
export interface Random {
  integer(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  /** Returns true for exactly `percent` of every hundred rows; each `trait` selects different rows. */
  share(percent: number, trait: string): boolean
}

export function createRandom(type: string, row: number): Random {
  const next = generator(hash(`${type}:${row}`))
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    integer,
    pick: (list) => list[integer(0, list.length - 1)] as (typeof list)[number],
    share: (percent, trait) => shuffledIndex(type, trait, row) < percent,
  }
}

/** Returns the index of the row in its shuffled hundred: a step coprime to 100 visits every index once. */
function shuffledIndex(type: string, trait: string, row: number): number {
  const steps = [3, 7, 11, 13, 17, 19, 23, 27, 29, 31, 33, 37, 39, 41, 43, 47, 49, 51, 53, 57, 59, 61, 63, 67, 69]
  const seed = hash(`${type}:${trait}:${Math.floor(row / 100)}`)
  const step = steps[seed % steps.length] as number
  return ((row % 100) * step + (seed >>> 8)) % 100
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) as number), 0x01000193)
  return value >>> 0
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
