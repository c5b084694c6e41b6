import type Koa from 'koa'
import { queryParamMalformed } from '#kernel/errors'
import { type App, mediaType, type Operation, type Plugin, type ResourceType } from '#kernel/plugin'
import { describeStreams } from './describe.ts'
import { liveErrors, liveUnavailable } from './errors.ts'
import { Hub } from './hub.ts'
import { environment } from './settings.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The open streams. Created by the first one. */
    liveHub?: Hub
  }
}

/**
 * Live collections: `GET` of a collection or a resource with `Accept: text/event-stream` is a stream of server-sent events
 * that shows it as the requester would read it, whenever it changes.
 */
export function live(): Plugin {
  /** The operations of requests for a stream. Null until the operation has run. */
  const opening = new WeakMap<Koa.Context, Operation | null>()
  return {
    name: 'live',
    requires: ['change-log'],
    environment,
    errors: liveErrors.map(({ definition }) => definition),

    middleware: (app) => (ctx, next) => (asksForStream(ctx) ? openStream(app, ctx, next) : next()),

    plan({ kind, type, relation, afterOperation }) {
      if (!type?.declaration.changes || relation) return
      if (kind === 'FetchCollection' || kind === 'FetchOne') afterOperation.push(keepOperation)
    },

    close: (app) => app.liveHub?.close(),

    describe: describeStreams,
  }

  function keepOperation(operation: Operation): undefined {
    const ctx = operation.context.request?.ctx
    if (ctx && opening.has(ctx)) opening.set(ctx, operation)
  }

  /** The request runs as a GET, whose errors are those of the stream; then the stream takes the place of its response. */
  async function openStream(app: App, ctx: Koa.Context, next: Koa.Next): Promise<void> {
    ctx.req.headers.accept = mediaType
    for (const name of ['if-none-match', 'if-modified-since']) delete ctx.req.headers[name]
    ctx.compress = false
    opening.set(ctx, null)
    await next()
    const { exchange } = ctx.state
    if (ctx.status >= 300 || !exchange) return
    const operation = opening.get(ctx)
    if (!operation) throw liveUnavailable({ types: streamedTypes(app) }, { source: { header: 'Accept' } })
    if (operation.query.requested.has('page')) throw paged()
    const { kind, target, query } = operation
    app.liveHub ??= new Hub(app)
    await app.liveHub.open(exchange, { kind, target, query })
  }
}

function asksForStream({ method, headers: { accept = '' } }: Koa.Context): boolean {
  return method === 'GET' && /\btext\/event-stream\b/i.test(accept)
}

function streamedTypes({ registry }: App): string[] {
  return [...registry.types.values()].filter(isStreamed).map(({ name }) => name)
}

function isStreamed({ declaration }: ResourceType): boolean {
  return declaration.changes === true
}

function paged() {
  const expected = 'no page, because a stream contains the whole collection'
  return queryParamMalformed({ parameter: 'page', expected }, { source: { parameter: 'page' } })
}
