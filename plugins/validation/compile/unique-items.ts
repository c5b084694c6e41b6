import type Joi from 'joi'
import { isObject } from '#kernel/plugin'

/** Rejects duplicate items in linear time; Joi's `unique()` compares every pair of objects. */
export function uniqueItems(list: Joi.ArraySchema): Joi.ArraySchema {
  return list.custom((items: readonly unknown[], { error, state }) => {
    const index = indexOfDuplicate(items)
    if (index < 0) return items
    const { path = [], ancestors = [] } = state
    return error('array.unique', { pos: index }, state.localize?.([...path, index], [items, ...ancestors]))
  })
}

/** Returns the index of the first item that equals an earlier one; -1 if all differ. */
function indexOfDuplicate(items: readonly unknown[]): number {
  const seen = new Set<string>()
  return items.findIndex((item, index) => seen.add(canonicalText(item)).size <= index)
}

/** Returns the same text for equal items, independent of the order of their members. */
function canonicalText(item: unknown): string {
  return JSON.stringify(item, (_name, value) => (isObject(value) ? sortMembers(value) : value))
}

function sortMembers(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
