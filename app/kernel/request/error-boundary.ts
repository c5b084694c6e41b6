import createError, { isHttpError } from 'http-errors'
import type Koa from 'koa'
import type { App } from '../contract/app.ts'
import type { Exchange } from '../contract/request.ts'
import { type Document, type ErrorResponse, ResponseError } from '../contract/response.ts'
import { chooseStatus, describeTruncation, toApiErrors } from '../errors/errors.ts'
import { restrictCaching } from '../lib/vary.ts'
import { discardEarlyResponse } from './early-response.ts'
import { contexts } from './request-context.ts'
import { planWithoutOperation, respond } from './stages/respond.ts'

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
