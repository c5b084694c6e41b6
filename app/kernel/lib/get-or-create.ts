interface Table<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** The value under a key, made on first use. */
export function getOrCreate<Key, Value>(table: Table<Key, Value>, key: Key, create: (key: Key) => Value): Value {
  const known = table.get(key)
  if (known !== undefined) return known
  const value = create(key)
  table.set(key, value)
  return value
}
