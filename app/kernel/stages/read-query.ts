import { queryParamUnrecognized } from '../core-errors.ts'
import { throwFaults } from '../errors.ts'
import { createQuery, type Query } from '../query.ts'
import { parseQueryString } from '../query-string.ts'
import type { ApiRequest } from '../request.ts'
import type { Target } from '../target.ts'

/** Hands every query family to the plugin that owns it, then throws all faults at once. */
export async function readQuery(request: ApiRequest): Promise<Query> {
  const { app, url } = request
  const { families } = parseQueryString(url.search)
  const query = createQuery(request.target as Target, new Set(families.keys()))
  for (const [family, value] of families) {
    const read = app.parameters.get(family)
    if (read) read(value, query, request)
    else if (isRefused(family, app.config.strictQueryParameters)) {
      query.faults.push(queryParamUnrecognized({ parameter: family }, { source: { parameter: family } }))
    }
  }
  for (const plugin of app.plugins) await plugin.onQuery?.(request, query)
  throwFaults(query.faults)
  return query
}

/** `profile` is tolerated; other names are refused, of which lower-case ones always, because the standard reserves them. */
export function isRefused(family: string, strict: boolean): boolean {
  return family !== 'profile' && (strict || /^[a-z]+$/.test(family))
}
