import type Koa from 'koa'
import { type Clock, systemClock } from '#http'
import { type Phrase, phrase, queryParamMalformed } from '#kernel/errors'
import { type App, mediaType, type Operation, type Plugin, parseAccept, type ResourceType } from '#kernel/plugin'
import { addMetrics, type Metric } from '#metrics'
import { describeStreams } from './describe.ts'
import { liveErrors, liveUnavailable } from './errors.ts'
import { respondWithoutEvents } from './event-stream.ts'
import { Hub } from './hub.ts'
import { environment } from './settings.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The open streams. Created by the first one. */
    liveHub?: Hub
  }
  interface RequestState {
    /** The operation of a request for a stream. Null until it has run, undefined when the stream is opened. */
    streamedOperation?: Operation | null | undefined
  }
}

/** Headers of the response to a GET that do not apply to a stream, or to an error of a stream. */
const headersOfDocument = ['ETag', 'Last-Modified', 'Content-Length', 'Link']

export interface LiveOptions {
  /** Default: the system clock. */
  readonly clock?: Clock
}

/**
 * Live collections: `GET` of a collection or a resource with `Accept: text/event-stream` is a stream of server-sent events
 * that shows it as the requester would read it, whenever it changes.
 */
export function live({ clock = systemClock }: LiveOptions = {}): Plugin {
  return {
    name: 'live',
    requires: ['change-log'],
    environment,
    errors: liveErrors.map(({ definition }) => definition),

    middleware: (app) => (ctx, next) => (acceptsStream(ctx) ? openStream(app, ctx, next) : next()),

    plan({ kind, type, relation, afterOperation }) {
      if (!type?.declaration.changes || relation) return
      if (kind === 'FetchCollection' || kind === 'FetchOne') afterOperation.push(keepOperation)
    },

    setup: (app) => addMetrics(app, [openStreams(app)]),

    close: (app) => app.liveHub?.close(),

    describe: describeStreams,
  }

  function keepOperation(operation: Operation): undefined {
    const { state } = operation.context.request?.ctx ?? {}
    if (state?.streamedOperation === null) state.streamedOperation = operation
  }

  /** The request runs as a GET, whose errors are those of the stream; then the stream takes the place of its response. */
  async function openStream(app: App, ctx: Koa.Context, next: Koa.Next): Promise<void> {
    ctx.req.headers.accept = mediaType
    for (const name of ['if-none-match', 'if-modified-since']) delete ctx.req.headers[name]
    ctx.compress = false
    ctx.state.streamedOperation = null as Operation | null
    await next()
    const { exchange, streamedOperation: operation } = ctx.state
    ctx.state.streamedOperation = undefined // the stream keeps the context, and would keep the records of this GET
    if (ctx.status >= 300 || !exchange) return
    for (const name of headersOfDocument) ctx.remove(name)
    ctx.set('Cache-Control', 'no-store') // for the errors that follow
    if (!operation) throw liveUnavailable({ types: listTypes(app) }, { source: { header: 'Accept' } })
    if (operation.query.requested.has('page')) throw paged()
    const { kind, target, query } = operation
    if (ctx.method === 'HEAD') return respondWithoutEvents(ctx)
    app.liveHub ??= new Hub(app, clock)
    await app.liveHub.open(exchange, { kind, target, query })
  }
}

function openStreams(app: App): Metric {
  return {
    name: 'live_streams',
    help: 'Open streams of live collections',
    kind: 'gauge',
    labels: [],
    aggregator: 'sum',
    read: () => [{ labels: {}, value: app.liveHub?.size ?? 0 }],
  }
}

/** Whether the client prefers a stream to other responses. */
function acceptsStream({ method, headers: { accept = '' } }: Koa.Context): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !/event-stream/i.test(accept)) return false
  const ranges = parseAccept(accept)
  const { quality = 0 } = ranges.find(({ type }) => type === 'text/event-stream') ?? {}
  return quality > 0 && ranges.every((other) => other.quality <= quality)
}

function listTypes({ registry }: App): string[] | Phrase {
  const names = [...registry.types.values()].filter(isStreamed).map(({ name }) => name)
  return names.length > 0 ? names : phrase("none, because no type declares 'changes: true'")
}

function isStreamed({ declaration }: ResourceType): boolean {
  return declaration.changes === true
}

function paged() {
  const expected = phrase('no page, because a stream contains the whole collection')
  return queryParamMalformed({ parameter: 'page', expected }, { source: { parameter: 'page' } })
}
