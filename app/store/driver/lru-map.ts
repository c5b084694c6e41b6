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
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < max) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, value)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}
