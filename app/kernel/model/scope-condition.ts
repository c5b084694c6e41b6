import { type Condition, native, never } from './condition.ts'
import { isPlainObject } from './filter-to-condition.ts'

/**
 * Converts the result of a declared scope to a condition. Undefined for `true`, which means all rows. Fails closed: any
 * other result that is not a filter matches no row, and so does a filter that is empty or has an undefined value, because
 * MikroORM would ignore it.
 */
export function scopeCondition(result: unknown): Condition | undefined {
  if (result === true) return undefined
  return isPlainObject(result) && isComplete(result) ? native(result) : never
}

/** Quantifiers of a to-many relation. Their empty filter matches any member. */
const quantifiers: readonly unknown[] = ['$some', '$none', '$every']

/** Whether a part of a filter is neither undefined nor empty. */
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
