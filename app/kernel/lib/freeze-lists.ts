/** Freezes an object with its lists. Maps, sets and objects that other owners share are left as they are. */
export function freezeLists<Value extends object>(value: Value): Readonly<Value> {
  for (const member of Object.values(value)) if (Array.isArray(member)) Object.freeze(member)
  return Object.freeze(value)
}
