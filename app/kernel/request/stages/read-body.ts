import { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { type Phrase, phrase } from '../../errors/error-text.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { findJsonFault } from '../../lib/json-fault.ts'
import type { Exchange } from '../../model/request.ts'
import type { Match, ReceiveBody } from '../../model/target.ts'
import { observe } from '../../operations/hooks.ts'
import { damaged, incomplete, receiveBody, tooManyBytes } from '../body/receive-body.ts'

const maxDepth = 32

/** Reads the body as the route says. Returns undefined if the method or the route takes none. */
export function readBody(exchange: Exchange, match: Match): Awaitable<unknown> {
  const { app, ctx } = exchange
  const read = match.route?.jsonapi?.body
  if (read === 'none' || !takesBody(ctx, match)) return undefined
  if (app.observers.length === 0) return receive(exchange, read)
  return observe(app, { name: 'read body' }, () => receive(exchange, read))
}

function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

/**
 * Receives the body by a function of the route, or reads it as a document. A body that an outer middleware has parsed
 * already is used as it is.
 */
async function receive(exchange: Exchange, read?: (ctx: Koa.Context, receive: ReceiveBody) => Promise<unknown>) {
  const { app, ctx, deadline } = exchange
  const { request } = ctx
  deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
  try {
    if (read) return await read(ctx, (limit) => receiveBody(exchange, limit))
    if (request.body === undefined) await parseBody(exchange, app.config.bodyLimit)
  } finally {
    deadline?.resume()
  }
  if (request.rawBody === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  checkDepth(request.body)
  return request.body
}

/** A body with fewer bytes is parsed while it is received. */
const smallBody = 2048
/** The bytes that the text of such a body occupies per byte, if each arrives in a packet of its own. */
const overhead = 32

const parsers = new Map<number, Koa.Middleware>()

/** Parses a small body while it is received; others are first received within the budget of all bodies. */
function parseBody(exchange: Exchange, limit: number): Promise<void> {
  const { ctx, app } = exchange
  const parse = getOrCreate(parsers, limit, createParser)
  const length = Number(ctx.headers['content-length'] ?? Number.NaN)
  const coding = (ctx.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding !== 'identity' || !(length < Math.min(smallBody, limit))) {
    if (length > limit) throw tooLarge(ctx, limit)
    return parseReceived(exchange, limit, coding, parse)
  }
  if (!ctx.req.readable) throw incomplete()
  if (!app.bodyBudget.hold(exchange, length * overhead)) throw tooManyBytes(exchange)
  delete ctx.headers['content-encoding'] // koa-bodyparser accepts `identity` only in lower case
  return parse(ctx, noNext)
}

async function parseReceived(exchange: Exchange, limit: number, coding: string, parse: Koa.Middleware): Promise<void> {
  const { ctx } = exchange
  const bytes = await receiveBody(exchange, limit, createDecoder(coding))
  if (!bytes) throw tooLarge(ctx, limit)
  const req = Object.assign(Readable.from([bytes], { objectMode: false }), { headers: {} })
  return parse(Object.create(ctx, { req: { value: req } }), noNext)
}

const none = Promise.resolve()
const noNext = () => none

function createParser(limit: number): Koa.Middleware {
  return bodyParser({
    enableTypes: ['json'],
    detectJSON: () => true, // the `negotiate` stage has checked the media type
    strict: false, // a scalar is valid JSON, but not a JSON:API document
    jsonLimit: String(limit), // bytes
    onerror: refuseBody,
  })
}

/** A SyntaxError has the text of the body. */
function refuseBody(error: Error & { readonly body?: unknown }): never {
  const isSyntax = error instanceof SyntaxError && typeof error.body === 'string'
  throw requestBodyInvalidJson({ reason: isSyntax ? syntaxFault(error.body as string) : damaged })
}

const decoders = new Map([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
])

/** Undefined if the body is not encoded. */
function createDecoder(coding: string): ReturnType<typeof createUnzip> | undefined {
  if (coding === 'identity') return undefined
  const create = decoders.get(coding)
  if (create) return create()
  const accepted = 'gzip, deflate, br'
  throw createError(415, `The content encoding is not supported. Accepted: ${accepted}.`, {
    headers: { 'Accept-Encoding': accepted },
    source: { header: 'Content-Encoding' },
  })
}

function tooLarge({ headers }: Koa.Context, limit: number): Error {
  const source = headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
  return createError(413, `The request body is too large. Accepted: at most ${limit} bytes.`, { source })
}

/** A text that is valid JSON was refused for a member `__proto__`. */
function syntaxFault(text: string): Phrase {
  const fault = findJsonFault(text)
  if (!fault) return phrase("it has a member '__proto__', which is not accepted")
  const { line, column, atEnd } = fault
  return atEnd
    ? phrase('it ends before the value is complete, at line {line}, column {column}', { line, column })
    : phrase('its syntax is invalid at line {line}, column {column}', { line, column })
}

/** Walks the value level by level. */
function checkDepth(document: unknown): void {
  let level: readonly unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (depth === maxDepth) throw requestBodyInvalidJson({ reason: tooDeep })
      for (const child of Array.isArray(value) ? value : Object.values(value)) next.push(child)
    }
    level = next
  }
}

const tooDeep = phrase('it has more than {levels} nested levels', { levels: maxDepth })
