interface Table<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** Returns the value of a key; creates and stores it on first use. */
export function getOrCreate<Key, Value>(table: Table<Key, Value>, key: Key, create: (key: Key) => Value): Value {
  const existing = table.get(key)
  if (existing !== undefined) return existing
  const value = create(key)
  table.set(key, value)
  return value
}
