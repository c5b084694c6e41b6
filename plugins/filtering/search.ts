import { all, any, never, textMatch } from '#kernel/queries'
import { checkQueryLimit } from '#query'
import type { FilterHandler } from './declare/definition.ts'

/** Handler for full-text-like search: every word of the value must occur in at least one of the properties. */
export const search: FilterHandler = (value, { parameter, properties }, request) => {
  if (typeof value !== 'string') return never
  const words = value.split(/\s+/).filter((word) => word !== '')
  const limit = Number(request?.app.config.variables.MAX_SEARCH_WORDS ?? 0)
  checkQueryLimit('search words', words.length, limit, parameter)
  return all(...words.map((word) => any(...properties.map((property) => textMatch(property, 'contains', word)))))
}
