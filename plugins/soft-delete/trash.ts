import { acceptedNames } from '#kernel/errors'
import { parseQueryString, toOperation, withScopes } from '#kernel/operations'
import {
  type ApiRequest,
  type Awaitable,
  type Context,
  isWrite,
  type Query,
  type QueryContext,
  type ResourceType,
  type Row,
  requesterOf,
} from '#kernel/plugin'
import { addNeeds, type Condition, createQuery, isMap } from '#kernel/queries'
import { filteringUnrecognized } from '#plugins/filtering/index.ts'
import { deletionProperty, isTrashed, softDeleteOf } from './compile.ts'

declare module '#kernel/plugin' {
  interface Query {
    /** The value of the filter `trashed`. Undefined if the query shows no trashed rows. */
    trashed?: (typeof trashedValues)[number]
  }
}

/** The key of the filter that shows trashed rows. */
export const trashedKey = 'trashed'
export const trashedValues = ['with', 'only'] as const

/** The requests and operations that see trashed rows. */
export class Trash {
  /** Requests with the filter, of requesters who have the ability `viewTrashed`. */
  readonly #viewers = new WeakSet<ApiRequest>()
  readonly #unscoped = new WeakSet<Context>()

  isViewer(request: ApiRequest): boolean {
    return this.#viewers.has(request)
  }

  /** Decides, before the query string is read, whether the key `trashed` is known to the requester. */
  readRequest(request: ApiRequest, type: ResourceType): Awaitable<void> {
    return sendsTrashed(request.url.search) ? this.#authorizeViewer(request, type) : undefined
  }

  async #authorizeViewer(request: ApiRequest, type: ResourceType): Promise<void> {
    const { app, target, plan } = request
    if (!target) return
    const query = createQuery(target)
    const planned = { kind: 'FetchCollection', target, requester: requesterOf(request), query, plan } as const
    const isAllowed = await app.store.read(
      (unit) => mayViewTrashed(type, toOperation(app, planned, unit).context),
      planned.requester,
      { isSingle: true },
    )
    if (isAllowed) this.#viewers.add(request)
  }

  /** Shows trashed rows of the primary type for a valid filter. */
  readQuery(queryContext: QueryContext, query: Query): void {
    const { kind, target } = queryContext
    const property = deletionProperty(query.type)
    if (property === null || isWrite(kind) || !['collection', 'resource', 'related'].includes(target.kind)) return
    const sent = query.requested.get('filter')
    const value = trashedValues.find((accepted) => isMap(sent) && sent[trashedKey] === accepted)
    if (!value) return
    const { request } = queryContext
    if (request && !this.#viewers.has(request)) return
    query.trashed = value
    addNeeds(query, query.type, [property])
  }

  /** Excludes trashed rows, unless the operation shows them. */
  scope(type: ResourceType, context: Context): Awaitable<Condition | undefined> {
    if (this.#unscoped.has(context)) return undefined
    if (context.query.type !== type || context.query.trashed === undefined) return softDeleteOf(type)?.live
    return context.request ? undefined : requireViewer(type, context)
  }

  /** Whether the requester may know that the row exists: a trashed one if it may view it, or has the ability of the action. */
  async reveals(type: ResourceType, row: object, ability: string, context: Context): Promise<boolean> {
    if (!isTrashed(type, row) || (await mayViewTrashed(type, context))) return true
    return isAllowed(type, ability, row as Row, context)
  }

  /** A copy of the context that finds trashed rows, within the scopes of other plugins. */
  withTrashed(context: Context): Context {
    const copy = withScopes(context)
    this.#unscoped.add(copy)
    return copy
  }
}

/** A program has no request whose filter is checked before. */
async function requireViewer(type: ResourceType, context: Context): Promise<undefined> {
  if (await mayViewTrashed(type, context)) return undefined
  throw filteringUnrecognized({ filter: trashedKey, accepted: acceptedNames([], trashedKey) })
}

function mayViewTrashed(type: ResourceType, context: Context): Promise<boolean> {
  return isAllowed(type, 'viewTrashed', null, context)
}

/** Whether every plugin that authorizes allows the ability; null is no row. */
async function isAllowed(type: ResourceType, ability: string, row: Row | null, context: Context): Promise<boolean> {
  for (const allows of type.steps.allows) {
    const [answer] = (await allows(type, ability, row && [row], context)) ?? []
    if (answer !== true) return false
  }
  return true
}

function sendsTrashed(search: string): boolean {
  if (!search.includes(trashedKey) && !search.includes('%')) return false
  const sent = parseQueryString(search).get('filter')
  return isMap(sent) && Object.hasOwn(sent, trashedKey)
}
