import createError, { isHttpError } from 'http-errors'
import type Koa from 'koa'
import { apiErrorsOf, type ErrorObject, statusOf, truncationOf } from '../../errors/errors.ts'
import { writeDocument } from '../../lib/json-text.ts'
import { mediaType } from '../../lib/media-type.ts'
import type { App } from '../../model/app.ts'
import type { Document } from '../../model/document.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Match } from '../../model/match.ts'
import type { Reply } from '../../model/plugin.ts'
import { type ApiResponse, type ErrorResponse, Refusal } from '../../model/response.ts'
import { restrictCaching } from '../../model/vary.ts'
import { writeErrorDocument } from '../error-document.ts'
import { requestIdOf, restoreRequestId } from '../request-id.ts'

/** Creates the exchange of a request from the route that was matched. */
export function createExchange(app: App, ctx: Koa.Context, match: Match): Exchange {
  const exchange: Exchange = { app, ctx, server: match.server }
  if (!match.route) exchange.type = match.type
  else if (match.route.jsonapi) exchange.extension = match.route.jsonapi.extension
  else exchange.plain = true
  ctx.state.exchange = exchange
  ctx.state.match = match
  return exchange
}

/** The one catch: whatever is thrown becomes an error document. */
export function errorBoundary(app: App): Koa.Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const exchange: Exchange = ctx.state.exchange ?? { app, ctx }
      if (exchange.plain) throw toHttpError(error)
      restoreRequestId(ctx, () => respondThrown(exchange, error))
    }
    restrictCaching(ctx)
  }
}

function respondThrown(exchange: Exchange, error: unknown): void {
  const { app } = exchange
  try {
    respondError(exchange, pointInto(answerError(error, exchange), exchange.request?.place ?? ''))
  } catch (failure) {
    app.logger?.error({ err: failure, cause: error }, 'An error could not be answered')
    respondError({ ...exchange, app: { ...app, plugins: [], hooks: () => [] } }, plainErrorResponse(failure))
  }
}

/** Koa answers in its own way, for which it sets the status of what was thrown. */
function toHttpError(error: unknown): unknown {
  const errors = apiErrorsOf(error)
  return errors.length > 0 ? createError(statusOf(errors), (error as Error).message) : error
}

function respondError(exchange: Exchange, response: ErrorResponse): void {
  const extension = extensionOf(exchange, response)
  const jsonapi: Document['jsonapi'] = { version: '1.1', ...(extension && { ext: [extension] }) }
  const { errors, meta } = response
  respond(exchange, response, { errors, ...(meta && { meta: { ...meta } }), jsonapi })
}

function answerError(error: unknown, exchange: Exchange): ErrorResponse {
  if (error instanceof Refusal) return error.response
  for (const plugin of exchange.app.hooks('onError')) {
    const response = plugin.onError?.(error, exchange)
    if (response) return response
  }
  return plainErrorResponse(error)
}

/** An error of one operation of a batch is told of a place in that operation, or of all of it. */
function pointInto(response: ErrorResponse, place: string): ErrorResponse {
  if (place === '') return response
  const errors = response.errors.map((error) => {
    const inside = error.source && 'pointer' in error.source ? error.source.pointer : ''
    return { ...error, source: { pointer: place + inside } }
  })
  return { ...response, errors }
}

/** Whoever did not agree to the extension is told so without it. */
function extensionOf({ media, extension }: Exchange, { status }: ErrorResponse): string | null {
  if (media) return media.extension
  return status === 415 || status === 406 ? null : (extension ?? null)
}

/** Without a plugin: our own errors as they are, HTTP exceptions by their bare status, anything else a bare 500. */
export function plainErrorResponse(error: unknown): ErrorResponse {
  const errors = apiErrorsOf(error)
  if (errors.length > 0) {
    return {
      kind: 'error',
      status: statusOf(errors),
      errors: errors.map((one) => one.toObject()),
      ...truncationOf(error),
    }
  }
  if (isHttpError(error)) {
    const { status, headers = {} } = error
    return { kind: 'error', status, headers, errors: [{ status: String(status) }] }
  }
  return { kind: 'error', status: 500, errors: [{ status: '500', title: 'Internal Server Error' }] }
}

/** Sends the answer: status, headers, then the document as text, written once. */
export function respond(exchange: Exchange, response: ApiResponse, document: Document | null = null): void {
  const { ctx, app } = exchange
  const reply = ctx.response
  reply.status = response.status
  reply.vary('Accept')
  for (const name in response.headers) {
    const value = response.headers[name] as string
    if (/^vary$/i.test(name)) reply.vary(value)
    else reply.set(name, value)
  }
  if (document) {
    reply.set('Content-Type', contentTypeOf(document.jsonapi))
    const { errors } = document
    reply.body = errors
      ? writeErrorDocument(document, identify(errors, ctx), app.config.limits)
      : writeDocument(document)
  } else {
    reply.body = null
    reply.status = response.status
  }
  const sending: Reply = { ctx, exchange: exchange, response }
  for (const plugin of app.hooks('onResponse')) plugin.onResponse?.(sending)
}

/** By the id of the request: several errors of one are told apart by a number. */
function identify(errors: readonly ErrorObject[], ctx: Koa.Context): readonly ErrorObject[] {
  const id = requestIdOf(ctx)
  if (id === undefined) return errors
  return errors.map((error, index) => ({ id: errors.length === 1 ? id : `${id}.${index + 1}`, ...error }))
}

function contentTypeOf({ ext, profile }: Document['jsonapi']): string {
  const extensions = ext ? `; ext="${ext.join(' ')}"` : ''
  return mediaType + extensions + (profile ? `; profile="${profile.join(' ')}"` : '')
}
