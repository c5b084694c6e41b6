import { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { type Phrase, phrase } from '../../errors/error-text.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { findJsonFault } from '../../lib/json-fault.ts'
import type { Exchange } from '../../model/request.ts'
import type { Match } from '../../model/target.ts'
import { observe } from '../../operations/hooks.ts'
import { damaged, incomplete, receiveBody, tooManyBytes } from '../body/receive-body.ts'

const maxDepth = 32

/** Reads the body as the route says. Returns undefined if the method or the route takes none. */
export async function readBody(exchange: Exchange, match: Match): Promise<unknown> {
  const { app, ctx, deadline } = exchange
  const read = match.route?.jsonapi?.body
  if (read === 'none' || !takesBody(ctx, match)) return undefined
  deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
  try {
    return await observe(app, { name: 'read body' }, async () =>
      read ? read(ctx, (limit) => receiveBody(exchange, limit)) : readDocument(exchange),
    )
  } finally {
    deadline?.resume()
  }
}

function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

/** Reads and parses the body. A body that an outer middleware has parsed already is used as it is. */
async function readDocument(exchange: Exchange): Promise<unknown> {
  const { request } = exchange.ctx
  if (request.body === undefined) await parseBody(exchange, exchange.app.config.bodyLimit)
  if (request.rawBody === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  checkDepth(request.body, maxDepth)
  return request.body
}

/** A body with fewer bytes is parsed while it is received. */
const smallBody = 2048
/** The bytes that the text of such a body occupies per byte, if each arrives in a packet of its own. */
const overhead = 32

const parsers = new Map<number, Koa.Middleware>()

/** Parses a small body while it is received; others are first received within the budget of all bodies. */
async function parseBody(exchange: Exchange, limit: number): Promise<void> {
  const { ctx, app } = exchange
  const parse = getOrCreate(parsers, limit, createParser)
  const length = Number(ctx.headers['content-length'] ?? Number.NaN)
  const coding = (ctx.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding === 'identity' && length < Math.min(smallBody, limit)) {
    if (!ctx.req.readable) throw incomplete()
    if (!app.bodyBudget.hold(exchange, length * overhead)) throw tooManyBytes(exchange)
    delete ctx.headers['content-encoding'] // koa-bodyparser accepts `identity` only in lower case
    return parse(ctx, async () => {})
  }
  if (length > limit) throw tooLarge(ctx, limit)
  const bytes = await receiveBody(exchange, limit, createDecoder(coding))
  if (!bytes) throw tooLarge(ctx, limit)
  const req = Object.assign(Readable.from([bytes], { objectMode: false }), { headers: {} })
  return parse(Object.create(ctx, { req: { value: req } }), async () => {})
}

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

function checkDepth(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return
  if (levels === 0)
    throw requestBodyInvalidJson({ reason: phrase('it has more than {levels} nested levels', { levels: maxDepth }) })
  for (const child of Array.isArray(value) ? value : Object.values(value)) checkDepth(child, levels - 1)
}
