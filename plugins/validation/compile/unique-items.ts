import type Joi from 'joi'
import { isObject } from '#kernel/plugin'

/** No item occurs twice. Takes one pass, where Joi's own `unique()` compares every object with every other. */
export function unique(list: Joi.ArraySchema): Joi.ArraySchema {
  return list.custom((items: readonly unknown[], { error, state }) => {
    const index = indexOfTwin(items)
    if (index < 0) return items
    const { path = [], ancestors = [] } = state
    return error('array.unique', { pos: index }, state.localize?.([...path, index], [items, ...ancestors]))
  })
}

/** The first item that occurred before; -1 when there is none. */
function indexOfTwin(items: readonly unknown[]): number {
  const seen = new Set<string>()
  return items.findIndex((item, index) => seen.add(textOf(item)).size <= index)
}

/** The same text for equal items, whatever the order of their members. */
function textOf(item: unknown): string {
  return JSON.stringify(item, (_name, value) => (isObject(value) ? sortMembers(value) : value))
}

function sortMembers(value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
