import { phrase, queryTooLarge } from '#kernel/errors'
import type { QueryContext } from '#kernel/plugin'

/** The hint of QUERY_PARAM_UNRECOGNIZED for a family that the server has, but the URL does not accept. */
export const repeatWithout = phrase('Repeat the request without it.')

/** The lists of a query that have a limit, with the detail of the error. */
const details = {
  characters: "'{parameter}' has {count} characters; at most {limit} are accepted.",
  names: "'{parameter}' has {count} names; at most {limit} are accepted.",
  'filter values': "'{parameter}' has {count} values; at most {limit} are accepted.",
  terms: "'{parameter}' has {count} terms; at most {limit} are accepted.",
  levels: "'{parameter}' has {count} nested levels; at most {limit} are accepted.",
  'relations in a row': "'{parameter}' has {count} relations in a row; at most {limit} are accepted.",
  'include paths': "'{parameter}' has {count} include paths; at most {limit} are accepted.",
  'search words': "'{parameter}' has {count} search words; at most {limit} are accepted.",
  'sort keys': "'{parameter}' has {count} sort keys; at most {limit} are accepted.",
} as const

/** Throws if a list of the query is longer than its limit; 0 is no limit. To be called before its entries are read. */
export function checkQueryLimit(list: keyof typeof details, count: number, limit: number, parameter: string): void {
  if (limit === 0 || count <= limit) return
  throw queryTooLarge({ reason: phrase(details[list], { parameter, count, limit }) }, { source: { parameter } })
}

/** The limit that a variable of a plugin sets. 0, no limit, for instructions of the program. */
export function listLimit({ app, profiles }: QueryContext, variable: string): number {
  return profiles === null ? 0 : Number(app.config.variables[variable] ?? 0)
}
