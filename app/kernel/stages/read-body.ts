import createError from 'http-errors'
import type Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import type { App } from '../app.ts'
import { requestBodyInvalidJson } from '../core-errors.ts'
import { phrase } from '../errors.ts'
import type { Match } from '../match.ts'
import { remember } from '../remember.ts'

const maxDepth = 32

/** The parsed body of a request that has one by its method; undefined otherwise. */
export async function readBody(app: App, ctx: Koa.Context, match: Match): Promise<unknown> {
  if (!takesBody(ctx, match)) return undefined
  await parse(app, ctx)
  if (!ctx.request.rawBody) throw requestBodyInvalidJson({ reason: phrase('it is empty') })
  const body: unknown = ctx.request.body
  if (isDeeperThan(body, maxDepth))
    throw requestBodyInvalidJson({ reason: phrase('it is nested deeper than {levels} levels', { levels: maxDepth }) })
  return body
}

function takesBody({ method }: Koa.Context, match: Match): boolean {
  if (match.route) return match.route.jsonapi !== undefined && method === 'POST'
  return method === 'POST' || method === 'PATCH' || (method === 'DELETE' && match.shape === 'relationship')
}

const parsers = new WeakMap<App, Koa.Middleware>()

async function parse(app: App, ctx: Koa.Context): Promise<void> {
  const parser = remember(parsers, app, () => createParser(app.config.bodyLimit))
  await parser(ctx, async () => {})
}

function createParser(limit: number): Koa.Middleware {
  return bodyParser({
    enableTypes: ['json'],
    jsonLimit: `${limit}b`,
    strict: false,
    onerror(error, ctx) {
      throw refuse(error, ctx)
    },
  }) as Koa.Middleware
}

function refuse(error: Error & { status?: number; type?: string }, ctx: Koa.Context): Error {
  if (error.status === 413) {
    const source = ctx.headers['content-length'] ? { header: 'Content-Length' } : { pointer: '' }
    return createError(413, 'The request body is too large.', { source })
  }
  if (error.status === 415) {
    return createError(415, 'The content encoding is not supported.', { source: { header: 'Content-Encoding' } })
  }
  return requestBodyInvalidJson({
    reason: phrase(error instanceof SyntaxError ? 'its syntax is wrong' : 'it was cut short or damaged'),
  })
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1))
}
