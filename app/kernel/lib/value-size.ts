/** Whether a JSON value has more members and items, on all levels, than the limit. Stops counting at the limit. */
export function hasMoreParts(value: unknown, limit: number): boolean {
  return countParts(value, limit) > limit
}

function countParts(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value) && value.length > limit) return value.length
  let count = 0
  for (const key in value) {
    count += 1 + countParts((value as Record<string, unknown>)[key], limit - count)
    if (count > limit) return count
  }
  return count
}
