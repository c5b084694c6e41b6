import { dispatch, planOperation, renderMember, visibilityFor } from '#kernel/operations'
import {
  type ApiRequest,
  type Exchange,
  isData,
  listMembers,
  type Member,
  type Operation,
  type Query,
  requesterOf,
  wireId,
} from '#kernel/plugin'
import { isIn } from '#kernel/queries'
import { liveCollectionTooLarge } from './errors.ts'

/** The resources of a query as its requester sees them now: texts of resource objects by `type/id`. */
export interface SeenRows {
  readonly primary: ReadonlyMap<string, string>
  readonly included: ReadonlyMap<string, string>
}

/** What a stream shows: a collection or a resource under a query. */
export type LiveTarget = Pick<Operation, 'kind' | 'target' | 'query'>

/**
 * Authenticates the request again: its token may have expired, or its principal may have other roles. Throws the error of the
 * response that the request would have now.
 */
export async function authenticateAgain(exchange: Exchange): Promise<ApiRequest> {
  const { app, ctx, server, request } = exchange
  for (const hook of app.hooks.onRoute) await hook(exchange)
  if (server?.hasMiddleware) await server.middleware(ctx, async () => {})
  // A new context, because decisions about fields are remembered for it. The deadline of the request is over.
  const copy = Object.create(Object.getPrototypeOf(request)) as ApiRequest
  return Object.assign(copy, request, { ctx: Object.create(ctx), deadline: null })
}

/** Reads the rows with these keys, or all rows, by the statements of a GET. */
export async function readRows(
  { kind, target, query }: LiveTarget,
  request: ApiRequest,
  keys: readonly unknown[] | null,
  limit: number,
): Promise<SeenRows> {
  const requester = requesterOf(request)
  const { app } = request
  const read: Query = {
    ...query,
    visibility: visibilityFor(app, requester),
    plan: null,
    ...(kind === 'FetchCollection' && {
      where: keys ? [...query.where, isIn(target.type.id.property, keys)] : query.where,
      window: { limit, offset: 0, probe: true },
      paginator: null,
      count: false,
    }),
  }
  const plan = planOperation(app, { kind, target, requester }, read)
  const response = await dispatch(app, { kind, target, requester, query: read, plan })
  if (!isData(response)) return none
  if (response.page?.hasMore) throw liveCollectionTooLarge({ limit })
  const members = listMembers(response)
  const write = (list: readonly Member[]) =>
    new Map(list.map((member) => [nameOf(member), renderMember(member, request, response).pieces.join('')]))
  const { graph } = response.operation.context
  return { primary: write(members), included: graph.hasIncluded ? write(graph.included(members)) : none.included }
}

const none: SeenRows = { primary: new Map(), included: new Map() }

export function nameOf({ type, record }: Member): string {
  return `${type.name}/${wireId(type, record)}`
}
