import { Readable } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { type AppConfig, type Bodies, type Phrase, phrase, requestBodyInvalidJson } from '#kernel/store'
import { BodyBudget } from './body-budget.ts'
import { findJsonFault } from './json-fault.ts'
import { damaged, incomplete, receiveBody, tooManyBytes } from './receive-body.ts'

const maxDepth = 32

/** Receives the request bodies of the process within BODY_LIMIT and MAX_RECEIVED_BYTES. */
export function createBodies({ bodyLimit, receivedLimit }: Pick<AppConfig, 'bodyLimit' | 'receivedLimit'>): Bodies {
  const budget = new BodyBudget(receivedLimit)
  const parser: Parser = { parse: createParser(bodyLimit), limit: bodyLimit, budget }
  return {
    get held() {
      return budget.held
    },
    receive: (ctx, limit) => receiveBody(ctx, limit, budget),
    async read(ctx, deadline) {
      const { request } = ctx
      deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
      try {
        // A body that an outer middleware has parsed already is used as it is.
        if (request.body === undefined) await parseBody(ctx, parser)
      } finally {
        deadline?.resume()
      }
      if (request.rawBody === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
      checkDepth(request.body)
      return request.body
    },
    release: (ctx) => budget.release(ctx),
  }
}

interface Parser {
  readonly parse: Koa.Middleware
  readonly limit: number
  readonly budget: BodyBudget
}

/** A body with fewer bytes is parsed while it is received. */
const smallBody = 2048
/** The bytes that the text of such a body occupies per byte, if each arrives in a packet of its own. */
const overhead = 32

/** Parses a small body while it is received; others are first received within the budget of all bodies. */
function parseBody(ctx: Koa.Context, parser: Parser): Promise<void> {
  const { parse, limit, budget } = parser
  const length = Number(ctx.headers['content-length'] ?? Number.NaN)
  const coding = (ctx.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (coding !== 'identity' || !(length < Math.min(smallBody, limit))) {
    if (length > limit) throw tooLarge(ctx, limit)
    return parseReceived(ctx, coding, parser)
  }
  if (!ctx.req.readable) throw incomplete()
  if (!budget.hold(ctx, length * overhead)) throw tooManyBytes(ctx)
  // koa-bodyparser accepts `identity` only in lower case
  if (ctx.headers['content-encoding'] !== undefined) delete ctx.headers['content-encoding']
  return parse(ctx, noNext)
}

async function parseReceived(ctx: Koa.Context, coding: string, { parse, limit, budget }: Parser): Promise<void> {
  const bytes = await receiveBody(ctx, limit, budget, createDecoder(coding))
  if (!bytes) throw tooLarge(ctx, limit)
  const req = Object.assign(Readable.from([bytes], { objectMode: false }), { headers: {} })
  return parse(Object.create(ctx, { req: { value: req } }), noNext)
}

const none = Promise.resolve()
const noNext = () => none

function createParser(limit: number): Koa.Middleware {
  return bodyParser({
    enableTypes: ['json'],
    detectJSON: () => true, // the media type was negotiated
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
