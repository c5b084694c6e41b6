import { type Condition, native, never } from './condition.ts'
import { isPlainObject } from './filter-to-condition.ts'

/**
 * The condition behind an author's answer to "which rows?": undefined for `true` (all rows), else the filter. Fails
 * closed: any other answer is no row at all. So is a filter that is empty or has an undefined value anywhere, which
 * MikroORM would leave out.
 */
export function scopeCondition(answer: unknown): Condition | undefined {
  if (answer === true) return undefined
  return isPlainObject(answer) && isComplete(answer) ? native(answer) : never
}

/** The quantifiers of a to-many relation, for which an empty filter means any member. */
const quantifiers: readonly unknown[] = ['$some', '$none', '$every']

/** Whether a part of a filter, found under the key, narrows rows down: it is neither undefined nor empty. */
function isComplete(value: unknown, key?: string | symbol): boolean {
  if (value === undefined) return false
  if (Array.isArray(value)) {
    if (value.length === 0 && (key === '$and' || key === '$or')) return false
    return value.every((item) => isComplete(item))
  }
  if (!isPlainObject(value)) return true
  const keys = Reflect.ownKeys(value)
  if (keys.length === 0) return quantifiers.includes(key)
  return keys.every((name) => isComplete(value[name as string], name))
}
