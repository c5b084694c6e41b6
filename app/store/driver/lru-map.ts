/** A map of bounded size. A new key beyond the limit evicts the least recently used one. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()

  get size(): number {
    return this.#entries.size
  }

  /** Returns the value and marks its key as the most recently used one. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, value)
    }
    return value
  }

  set(key: Key, value: Value, max: number): void {
    this.#entries.delete(key)
    if (this.#entries.size >= max) this.evict()
    this.#entries.set(key, value)
  }

  /** Removes the least recently used key and returns it. */
  evict(): Key | undefined {
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined) this.#entries.delete(oldest)
    return oldest
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
