import { all, any, never, textMatch } from '#kernel'
import type { FilterHandler } from './definition.ts'

/** Every word of the value occurs in at least one of the properties. */
export const search: FilterHandler = (value, { properties }) => {
  if (typeof value !== 'string') return never
  const words = value.split(/\s+/).filter((word) => word !== '')
  return all(...words.map((word) => any(...properties.map((property) => textMatch(property, 'contains', word)))))
}
