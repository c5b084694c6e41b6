import {
  type Context,
  context,
  propagation,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type Koa from 'koa'
import { loggedStatus } from '#http'
import type { App } from '#kernel/plugin'
import { buildRouteName, namedRoutes } from '#routes'
import { withApp } from './spans.ts'

declare module '#kernel/plugin' {
  interface RequestState {
    /** Whether the span of the request is recorded. */
    hasRecordedSpan?: boolean
    /** The span of the request, if its trace is sampled. */
    sampledTrace?: { readonly traceId: string; readonly spanId: string }
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

interface RequestSpansOptions {
  /** Whether the trace of a client is continued. */
  readonly continuesTraces: boolean
  /** Whether a request that does not continue a trace begins one. If not, it has no span, and saves the calls of the SDK. */
  readonly beginsTrace: () => boolean
}

/** Middleware that creates the span of a request, as a part of the trace in its header `traceparent`. */
export function requestSpans(app: App, tracer: Tracer, options: RequestSpansOptions): Koa.Middleware {
  const { continuesTraces, beginsTrace } = options
  const paths = new Map(namedRoutes(app).map(({ name, path }) => [name, path]))
  return (ctx, next) => {
    const clientContext = readParent(ctx)
    const client = trace.getSpanContext(clientContext)
    if (!(client && continuesTraces) && !beginsTrace()) return next()
    const method = methods.has(ctx.method) ? ctx.method : '_OTHER'
    const parent = continuesTraces ? clientContext : context.active()
    const attributes = { 'http.request.method': method, 'url.scheme': ctx.secure ? 'https' : 'http' }
    const root = continuesTraces ? {} : linkedRoot(client)
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes, ...root }, parent)
    if (!span.isRecording()) return context.with(trace.setSpan(parent, span), next)
    recordTrace(ctx, span)
    ctx.res.once('close', () => endRequest(ctx, span, method, paths))
    return context.with(trace.setSpan(withApp(parent, app), span), next)
  }
}

/** The active span, if an instrumentation of the HTTP server has created one; otherwise that of the client. */
function readParent({ headers }: Koa.Context): Context {
  const active = context.active()
  return trace.getSpan(active) ? active : propagation.extract(active, headers)
}

/** A trace of its own, with a link to the client's. */
function linkedRoot(client: SpanContext | undefined): SpanOptions {
  return { root: true, links: client ? [{ context: client }] : [] }
}

/** For the spans of the request, exemplars of metrics, and log lines. */
function recordTrace(ctx: Koa.Context, span: Span): void {
  ctx.state.hasRecordedSpan = true
  const { traceId, spanId, traceFlags } = span.spanContext()
  if (traceFlags & TraceFlags.SAMPLED) ctx.state.sampledTrace = { traceId, spanId }
}

/**
 * Called when the response is sent or the client has disconnected. The attributes have the template of the path and no
 * query string, because both contain values of clients.
 */
function endRequest(ctx: Koa.Context, span: Span, method: string, paths: ReadonlyMap<string, string>): void {
  const status = loggedStatus(ctx.res)
  const route = buildRouteName(ctx)
  const path = route === null ? undefined : paths.get(route)
  if (path) {
    span.updateName(`${method} ${path}`)
    span.setAttributes({ 'http.route': path, 'url.path': path })
  }
  span.setAttributes({ 'http.response.status_code': status, ...(route && { 'jsonapi.route': route }) })
  if (status >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', String(status))
  }
  span.end()
}
