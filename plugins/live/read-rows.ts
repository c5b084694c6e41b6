import {
  authorizeOperations,
  dispatch,
  parseQueryString,
  planOperation,
  ResponseError,
  readQuery,
  renderMember,
  visibilityFor,
} from '#kernel/operations'
import {
  type ApiRequest,
  type Exchange,
  isData,
  listMembers,
  type Member,
  type Operation,
  type PlannedOperation,
  type Query,
  type QueryContext,
  requesterOf,
  runInRequest,
  wireId,
} from '#kernel/plugin'
import { isIn } from '#kernel/queries'
import { liveCollectionTooLarge } from './errors.ts'
import { requireWritten } from './written.ts'

/** The resources of a query as its requester sees them now: texts of resource objects by `type/id`. */
export interface SeenRows {
  readonly primary: ReadonlyMap<string, string>
  readonly included: ReadonlyMap<string, string>
}

/** What a stream shows: a collection or a resource under the query of its URL. */
export type LiveTarget = Pick<Operation, 'kind' | 'target' | 'query'>

/**
 * Repeats the request up to its query: its token may have expired, its principal may have other roles, and its parameters may
 * name what is hidden now. Throws the error of the response that it would have.
 */
async function repeatRequest(
  exchange: Exchange,
  ctx: Exchange['ctx'],
  { kind, target }: LiveTarget,
): Promise<PlannedOperation> {
  const { app } = exchange
  const request = await authenticateAgain(exchange, ctx)
  const { server, media, url } = request
  const { strictQueryParameters: strict, limits } = app.config
  const { profiles } = media
  for (const step of app.plans.ofEndpoint(app, { server, kind, target, profiles }).begin) await step(request)
  const requester = requesterOf(request)
  const visibility = app.registry.hidesFields ? visibilityFor(app, requester) : null
  const context: QueryContext = { app, server, kind, target, request, profiles, visibility, strict, limits }
  const { query, plan } = app.plans.read(context, url.search, (read) =>
    readQuery(read, parseQueryString(url.search, { lists: server.listParameters, limit: limits.queryParameters })),
  )
  const operation = { kind, target, requester, query, plan }
  await authorizeOperations(request, [operation])
  return operation
}

/** Authenticates the requester again. The copied request has no deadline, because that of the original has passed. */
async function authenticateAgain(exchange: Exchange, ctx: Exchange['ctx']): Promise<ApiRequest> {
  const { app, server, request } = exchange
  for (const hook of app.hooks.onRoute) await hook({ ...exchange, ctx })
  let isPassed = !server?.hasMiddleware
  if (server?.hasMiddleware)
    await server.middleware(ctx, async () => {
      isPassed = true
    })
  if (!isPassed) ctx.throw(403)
  const copy = Object.create(Object.getPrototypeOf(request)) as ApiRequest
  return Object.assign(copy, request, { ctx, deadline: null })
}

/**
 * A context with a state of its own: decisions about fields are remembered by context, and a plugin may keep a principal that is
 * set already.
 */
function withoutPrincipal(ctx: Exchange['ctx']): Exchange['ctx'] {
  const state = Object.create(ctx.state, { principal: { value: undefined, writable: true, enumerable: true } })
  return Object.create(ctx, { state: { value: state } })
}

interface ReadOptions {
  /** Null for all rows. */
  readonly keys: readonly unknown[] | null
  readonly limit: number
  /** See `readWritten`. */
  readonly written: string | null
}

/**
 * Reads the rows with these keys, or all rows, by the statements of a GET, in a context of its own: the read may run for another
 * request, whose principal functions of the application would find in `currentContext()`.
 */
export function readRows(exchange: Exchange, live: LiveTarget, options: ReadOptions): Promise<SeenRows> {
  const ctx = withoutPrincipal(exchange.ctx)
  if (options.written !== null) requireWritten(ctx, options.written)
  return runInRequest(ctx, () => readRowsAgain(exchange, ctx, live, options))
}

async function readRowsAgain(
  exchange: Exchange,
  ctx: Exchange['ctx'],
  live: LiveTarget,
  { keys, limit }: ReadOptions,
): Promise<SeenRows> {
  const { kind, target, requester, query } = await repeatRequest(exchange, ctx, live)
  const { app } = exchange
  const { request } = requester
  const read: Query = {
    ...query,
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
  if (response.kind === 'error') throw new ResponseError(response)
  if (!isData(response)) return none
  if (response.page?.hasMore) throw liveCollectionTooLarge({ limit })
  const members = listMembers(response)
  const write = (list: readonly Member[]) =>
    new Map(
      list.map((member) => [memberName(member), renderMember(member, request as ApiRequest, response).pieces.join('')]),
    )
  const { graph } = response.operation.context
  return { primary: write(members), included: graph.hasIncluded ? write(graph.included(members)) : none.included }
}

const none: SeenRows = { primary: new Map(), included: new Map() }

export function memberName({ type, record }: Member): string {
  return `${type.name}/${wireId(type, record)}`
}
