/** The order of sorted lists and objects: numbers by value, before all other values, which are compared as texts. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number') return -1
  if (typeof b === 'number') return 1
  return compareTexts(String(a), String(b))
}

/** By code units. */
export function compareTexts(a: string, b: string): number {
  return Number(a > b) - Number(a < b)
}
