/** A value of a map, until it is evicted. */
export interface LruEntry<Value> {
  readonly value: Value
  /** Whether it was read since it was added or last spared from eviction. */
  isUsed: boolean
}

/**
 * A map of bounded size. A new key beyond the limit evicts one that was not used lately (LRU by second chance): reads only
 * mark their entry, which costs less than to keep all entries in the order of their use.
 */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, LruEntry<Value>>()

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.isUsed = true
    return entry.value
  }

  /** Returns the entry: a caller that keeps it may mark it as used without a lookup. */
  set(key: Key, value: Value, max: number): LruEntry<Value> {
    this.#entries.delete(key)
    if (this.#entries.size >= max) this.evict()
    const entry = { value, isUsed: false }
    this.#entries.set(key, entry)
    return entry
  }

  /** Returns the value of a key; creates and stores it on first use. */
  getOrCreate(key: Key, max: number, create: () => Value): Value {
    const existing = this.get(key)
    if (existing !== undefined) return existing
    const value = create()
    this.set(key, value, max)
    return value
  }

  /** Removes the oldest key that is unused, and returns it. Used keys before it become the newest and unused. */
  evict(): Key | undefined {
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key)
      if (!entry.isUsed) return key
      entry.isUsed = false
      this.#entries.set(key, entry)
    }
    return undefined
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
