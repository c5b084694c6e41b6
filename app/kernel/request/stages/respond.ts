import createError, { isHttpError } from 'http-errors'
import type Koa from 'koa'
import type { App } from '../../contract/app.ts'
import type { Exchange } from '../../contract/request.ts'
import { type ApiResponse, type Document, type ErrorResponse, ResponseError } from '../../contract/response.ts'
import type { Plan } from '../../contract/stages.ts'
import { chooseStatus, describeTruncation, type ErrorObject, toApiErrors } from '../../errors/errors.ts'
import { writeDocument } from '../../lib/json-text.ts'
import { mediaType } from '../../lib/media-type.ts'
import { addVary, restrictCaching } from '../../lib/vary.ts'
import { discardEarlyResponse } from '../early-response.ts'
import { contexts } from '../request-context.ts'

/** Catches the errors of a request and responds with an error document. Koa responds to errors of plain routes. */
export function errorBoundary(app: App): Koa.Middleware {
  return (ctx, next) => contexts.run(ctx, runMiddleware, app, ctx, next)
}

async function runMiddleware(app: App, ctx: Koa.Context, next: Koa.Next): Promise<void> {
  const { state } = ctx
  try {
    await next()
  } catch (error) {
    const exchange: Exchange = state.exchange ?? { app, ctx }
    if (exchange.plain) throw toHttpError(error)
    discardEarlyResponse(exchange)
    respondToError(exchange, error)
  } finally {
    if (state.bodyBytes) app.bodies.release(ctx)
  }
  if (state.exchange) {
    const plan = state.exchange.request?.plan ?? planWithoutOperation(state.exchange)
    for (const step of plan?.beforeSend ?? []) {
      const pending = step(state.exchange)
      if (pending) await pending
    }
  }
  if (state.variesByPrincipal) restrictCaching(ctx)
}

/** Falls back to an error document without plugins if a plugin throws while it handles the error. */
function respondToError(exchange: Exchange, error: unknown): void {
  const { app } = exchange
  try {
    const response = toErrorResponse(error, exchange)
    respondError(exchange, prefixPointers(response, exchange.request?.operationPointer ?? ''))
  } catch (failure) {
    app.logger?.error(
      { err: failure, cause: error },
      'A plugin failed while handling an error; the response is a bare error document',
    )
    const { server: _, ...withoutPlugins } = exchange
    respondError(withoutPlugins, fallbackErrorResponse(failure))
  }
}

/** Koa responds to errors of plain routes, by the status of an HTTP error. */
function toHttpError(error: unknown): unknown {
  const errors = toApiErrors(error)
  return errors.length > 0 ? createError(chooseStatus(errors), (error as Error).message) : error
}

function respondError(exchange: Exchange, response: ErrorResponse): void {
  const extension = chooseExtension(exchange, response)
  const jsonapi: Document['jsonapi'] = { version: '1.1', ...(extension && { ext: [extension] }) }
  const { errors, meta } = response
  respond(exchange, response, { errors, ...(meta && { meta: { ...meta } }), jsonapi })
}

function toErrorResponse(error: unknown, exchange: Exchange): ErrorResponse {
  if (error instanceof ResponseError) return error.response
  for (const hook of exchange.app.hooks.onError) {
    const response = hook(error, exchange)
    if (response) return response
  }
  return fallbackErrorResponse(error)
}

/** Errors of one operation of a batch point into that operation, or at the whole of it. */
function prefixPointers(response: ErrorResponse, prefix: string): ErrorResponse {
  if (prefix === '') return response
  const errors = response.errors.map((error) => {
    const pointer = error.source && 'pointer' in error.source ? error.source.pointer : ''
    return { ...error, source: { pointer: prefix + pointer } }
  })
  return { ...response, errors }
}

/** Before negotiation, the route's extension applies, except to errors of the negotiation itself. */
function chooseExtension({ media, extension }: Exchange, { status }: ErrorResponse): string | null {
  if (media) return media.extension
  return status === 415 || status === 406 ? null : (extension ?? null)
}

/** The response without plugins: declared errors as they are, HTTP errors by status only, other errors as 500. */
function fallbackErrorResponse(error: unknown): ErrorResponse {
  const apiErrors = toApiErrors(error)
  if (apiErrors.length > 0) {
    const errors = apiErrors.map((apiError) => apiError.toObject())
    return { kind: 'error', status: chooseStatus(apiErrors), errors, ...describeTruncation(error) }
  }
  if (isHttpError(error)) {
    const { status, headers = {} } = error
    return { kind: 'error', status, headers, errors: [{ status: String(status) }] }
  }
  return { kind: 'error', status: 500, errors: [{ status: '500', title: 'Internal Server Error' }] }
}

/** Sets the status, the headers and the body, then runs the stage `respond`. */
export function respond(exchange: Exchange, response: ApiResponse, document: Document | null = null): void {
  const { ctx, app } = exchange
  ctx.status = response.status
  addVary(ctx, 'Accept')
  for (const [name, value] of Object.entries(response.headers ?? {})) {
    if (/^vary$/i.test(name)) ctx.vary(value)
    else ctx.set(name, value)
  }
  if (document) {
    const { errors, jsonapi } = document
    ctx.set('Content-Type', jsonapi.ext || jsonapi.profile ? buildContentType(jsonapi) : mediaType)
    ctx.body = errors ? app.documents.writeErrors(document, addIds(errors, ctx)) : writeDocument(document)
  } else {
    ctx.body = response.kind === 'rendered' ? response.body : null
    ctx.status = response.status // an empty body has set 204
  }
  if (response.kind === 'rendered') return
  const reply = { ctx, exchange, response }
  const { request } = exchange
  const plan = request && response.kind !== 'error' ? request.plan : planWithoutOperation(exchange)
  for (const step of plan?.respond ?? []) step(reply)
}

/** Errors, and responses before the request is read, have the plan of the type without an operation. */
function planWithoutOperation({ app, server, type }: Exchange): Plan | undefined {
  if (!server) return undefined
  return app.plans.ofEndpoint(app, { server, kind: null, target: type ? { type } : null, profiles: noProfiles })
}

const noProfiles: ReadonlySet<string> = new Set()

/** Adds the request id to error objects, with a number if there are several. That of a 500 without details is in a header only. */
function addIds(errors: readonly ErrorObject[], ctx: Koa.Context): readonly ErrorObject[] {
  const id = ctx.state.requestId
  if (id === undefined) return errors // no plugin has set an id
  return errors.map((error, index) =>
    isBare(error) ? error : { id: errors.length === 1 ? id : `${id}.${index + 1}`, ...error },
  )
}

/** Whether the error is the 500 of an unexpected error outside of debug mode. */
function isBare({ status, code, detail }: ErrorObject): boolean {
  return status === '500' && code === undefined && detail === undefined
}

function buildContentType({ ext, profile }: Document['jsonapi']): string {
  const extensions = ext ? `; ext="${ext.join(' ')}"` : ''
  return mediaType + extensions + (profile ? `; profile="${profile.join(' ')}"` : '')
}
