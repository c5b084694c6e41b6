import type { Duplex } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import createError from 'http-errors'
import type Koa from 'koa'
import { requestBodyInvalidJson } from '../../errors/core-errors.ts'
import { type Phrase, phrase } from '../../errors/error-text.ts'
import { findJsonFault } from '../../lib/json-fault.ts'
import type { Deadline } from '../../model/deadline.ts'
import type { Exchange } from '../../model/request.ts'
import type { Match } from '../../model/target.ts'
import { runStage } from '../../operations/hooks.ts'
import { damaged, receiveBody } from '../body/receive-body.ts'

declare module 'koa' {
  interface Request {
    /** The parsed body. */
    body: NonNullable<unknown> | null | undefined
    /** The text of the body. */
    rawBody: NonNullable<unknown> | null | undefined
  }
}

const maxDepth = 32

/** Reads the body as the route says. Undefined if the method has none. */
export async function readBody(exchange: Exchange, match: Match): Promise<unknown> {
  const { app, ctx } = exchange
  if (!takesBody(ctx, match)) return undefined
  const read = match.route?.jsonapi?.body
  if (read === 'none') return undefined
  const deadline: Deadline | null | undefined = ctx.state.deadline
  deadline?.suspend() // REQUEST_TIMEOUT limits the time to send a body
  try {
    return await runStage(app, { name: 'read body' }, async () =>
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
  if (request.body === undefined) {
    const text = await readText(exchange)
    request.rawBody = text
    request.body = parse(text)
  }
  if (request.rawBody === '') throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  checkMembers(request.body, maxDepth)
  return request.body
}

async function readText(exchange: Exchange): Promise<string> {
  const { headers } = exchange.ctx
  const limit = exchange.app.config.bodyLimit
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(exchange.ctx, limit)
  const coding = (headers['content-encoding'] ?? 'identity').toLowerCase()
  const bytes = await (coding === 'identity' ? receiveBody(exchange, limit) : receiveDecoded(exchange, limit, coding))
  if (!bytes) throw tooLarge(exchange.ctx, limit)
  const text = bytes.toString()
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

const byteOrderMark = '\ufeff'

const decoders = new Map<string, () => Duplex>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
])

async function receiveDecoded(exchange: Exchange, limit: number, coding: string): Promise<Buffer | null> {
  const createDecoder = decoders.get(coding)
  if (!createDecoder) {
    const accepted = 'gzip, deflate, br'
    throw createError(415, `The content encoding is not supported. Accepted: ${accepted}.`, {
      headers: { 'Accept-Encoding': accepted },
      source: { header: 'Content-Encoding' },
    })
  }
  return receiveBody(exchange, limit, createDecoder())
}

function tooLarge({ headers }: Koa.Context, limit: number): Error {
  const source = headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
  return createError(413, `The request body is too large. Accepted: at most ${limit} bytes.`, { source })
}

function parse(text: string): Koa.Request['body'] {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw requestBodyInvalidJson({ reason: syntaxFault(text) })
  }
}

function syntaxFault(text: string): Phrase {
  const fault = findJsonFault(text)
  if (!fault) return damaged
  const { line, column, atEnd } = fault
  return atEnd
    ? phrase('it ends before the value is complete, at line {line}, column {column}', { line, column })
    : phrase('its syntax is invalid at line {line}, column {column}', { line, column })
}

/** A member `__proto__` would become the prototype of a copy of its object. */
function checkMembers(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return
  if (levels === 0)
    throw requestBodyInvalidJson({ reason: phrase('it has more than {levels} nested levels', { levels: maxDepth }) })
  if (Object.hasOwn(value, '__proto__'))
    throw requestBodyInvalidJson({ reason: phrase("it has a member '__proto__', which is not accepted") })
  for (const child of Array.isArray(value) ? value : Object.values(value)) checkMembers(child, levels - 1)
}
