import createError from 'http-errors'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { type Phrase, phrase } from '../../errors/error-text.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { findJsonFault } from '../../lib/json-fault.ts'
import type { App } from '../../model/app.ts'
import type { Deadline } from '../../model/deadline.ts'
import type { Match } from '../../model/target.ts'
import { runStage } from '../../operations/hooks.ts'

const maxDepth = 32

/** Reads the body as the route says. Undefined if the method has none. */
export async function readBody(app: App, ctx: Koa.Context, match: Match): Promise<unknown> {
  if (!takesBody(ctx, match)) return undefined
  const read = match.route?.jsonapi?.body
  if (read === 'none') return undefined
  const deadline: Deadline | null | undefined = ctx.state.deadline
  deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
  try {
    return await runStage(app, { name: 'read body' }, async () => (read ? read(ctx) : readDocument(app, ctx)))
  } finally {
    deadline?.resume()
  }
}

/** Reads and parses the body. A body that an outer middleware has parsed already is used as it is. */
async function readDocument(app: App, ctx: Koa.Context): Promise<unknown> {
  await parseBody(ctx, app.config.bodyLimit)
  const { body, rawBody } = ctx.request
  if (rawBody === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  checkDepth(body, maxDepth)
  return body
}

function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

const parsers = new Map<number, Koa.Middleware>()

/** Rejects if the client disconnects; without this, the promise of a compressed body would stay pending for ever. */
async function parseBody(ctx: Koa.Context, limit: number): Promise<void> {
  const coding = ctx.headers['content-encoding']?.toLowerCase()
  if (coding !== undefined) ctx.headers['content-encoding'] = coding === 'x-gzip' ? 'gzip' : coding
  const parsed: Promise<void> = getOrCreate(parsers, limit, createParser)(ctx, async () => {})
  if (coding === undefined) return parsed
  const disconnected = new Promise<never>((_resolve, reject) => ctx.req.once('error', reject))
  await Promise.race([parsed, disconnected.catch((error) => refuseBody(error, ctx))])
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

function refuseBody(
  error: Error & { status?: number; limit?: number; body?: unknown },
  { headers }: Koa.Context,
): never {
  if (error.status === 413) {
    const source = headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
    throw createError(413, `The request body is too large. Accepted: at most ${error.limit} bytes.`, { source })
  }
  if (error.status === 415) {
    throw createError(415, `The content encoding is not supported. Accepted: ${codings}.`, {
      headers: { 'Accept-Encoding': codings },
      source: { header: 'Content-Encoding' },
    })
  }
  const isSyntax = error instanceof SyntaxError && typeof error.body === 'string'
  throw requestBodyInvalidJson({ reason: isSyntax ? syntaxFault(error.body as string) : damaged })
}

/** The content codings that koa-bodyparser decodes. */
const codings = 'gzip, deflate, br'
const damaged = phrase('it is incomplete or damaged')

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
