import type { PlannedQuery } from '../../contract/app.ts'
import type { ApiRequest, QueryContext } from '../../contract/request.ts'
import type { Plan } from '../../contract/stages.ts'
import { createQuery } from '../../data/create-query.ts'
import type { Query } from '../../data/query.ts'
import type { Families } from '../../data/query-parameters.ts'
import { acceptedNames } from '../../errors/accepted-names.ts'
import { queryParamUnrecognized } from '../../errors/core-errors.ts'
import { phrase } from '../../errors/error-text.ts'
import { Faults } from '../../errors/faults.ts'
import { parseQueryString } from '../query-string.ts'

/** Returns the query of a request with its plan. Both may have been made for another request. */
export function planQuery(
  queryContext: QueryContext,
  { app, url, appliedProfiles }: ApiRequest,
  endpoint: Plan['key'] | undefined,
): PlannedQuery {
  const { search } = url
  const read = (context: QueryContext) => {
    const { server, limits } = context
    const lists = server.listParameters
    return readQuery(context, parseQueryString(search, { lists, limit: limits.queryParameters })) // 400
  }
  const planned = app.plans.read(queryContext, search, read, endpoint)
  for (const profile of planned.query.profiles) appliedProfiles.add(profile)
  return planned
}

/** Passes every query family to the plugin that owns it, then throws all faults together. */
export function readQuery(queryContext: QueryContext, families: Families): Query {
  const { app, server, target, strict, limits, visibility } = queryContext
  const query = createQuery(target, families, new Faults(limits.errors))
  query.visibility = visibility
  query.maxPageSize = app.documents.maxPageSize(target)
  for (const [family, value] of families) {
    const parameter = server.parameters.get(family)
    if (parameter) parameter.read(value, query, queryContext)
    else if (isRejected(family, strict)) {
      const accepted = acceptedNames(listAccepted(queryContext, query), family)
      const hint = phrase('Accepted: {accepted}', { accepted })
      query.faults.push(queryParamUnrecognized({ parameter: family, hint }, { source: { parameter: family } }))
    }
  }
  for (const hook of app.hooks.onQuery) hook(queryContext, query)
  query.faults.throwAny()
  return query
}

function listAccepted(queryContext: QueryContext, query: Query): string[] {
  const { parameters } = queryContext.server
  return [...parameters].flatMap(([name, { isAccepted }]) => (isAccepted(queryContext, query) ? name : []))
}

/** `profile` is ignored. Lower-case names are rejected in any mode, because JSON:API reserves them. */
function isRejected(family: string, strict: boolean): boolean {
  return family !== 'profile' && (strict || /^[a-z]+$/.test(family))
}
