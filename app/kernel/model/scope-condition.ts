import { type Condition, native, never } from './condition.ts'
import { isPlainObject } from './filter-to-condition.ts'

/**
 * The condition behind an author's answer to "which rows?": undefined for `true` (all rows), else the filter. Fails
 * closed: any other answer is no row at all. So is an empty filter, and one with an undefined value, which MikroORM
 * would leave out.
 */
export function scopeCondition(answer: unknown): Condition | undefined {
  if (answer === true) return undefined
  return isFilter(answer) ? native(answer) : never
}

function isFilter(answer: unknown): answer is object {
  return isPlainObject(answer) && Reflect.ownKeys(answer).length > 0 && !hasUndefined(answer)
}

function hasUndefined(value: unknown): boolean {
  if (value === undefined) return true
  if (Array.isArray(value)) return value.some(hasUndefined)
  return isPlainObject(value) && Reflect.ownKeys(value).some((key) => hasUndefined(value[key as string]))
}
