import Koa from 'koa'
import { vary } from '#kernel/store'
import { answerPlainError } from './plain-error.ts'

export function createKoa({ trustProxy }: { readonly trustProxy: boolean }): Koa {
  // Of the addresses in X-Forwarded-For, the one that the proxy itself has added.
  const koa = new Application({ proxy: trustProxy, maxIpsCount: 1 })
  koa.response.vary = vary
  koa.context.onerror = answerPlainError
  Object.defineProperties(koa.context, Object.getOwnPropertyDescriptors(direct))
  return koa
}

/** Most asked for; Koa's own looks up by name what to ask of whom. */
const direct: ThisType<Koa.Context> & Pick<Koa.Context, 'method' | 'path' | 'headers'> = {
  get method() {
    return this.request.method
  },
  set method(method) {
    this.request.method = method
  },
  get path() {
    return this.request.path
  },
  set path(path) {
    this.request.path = path
  },
  get headers() {
    return this.req.headers
  },
}

type Run = (ctx: Koa.Context) => Promise<void>

/** What Koa's callback does with a request. */
const { handleRequest } = Koa.prototype as unknown as { handleRequest(this: Koa, ctx: Koa.Context, run: Run): unknown }

class Application extends Koa {
  /** Koa also listens for the end of every connection, to report those that break: a client that is gone is no news. */
  async handleRequest(ctx: Koa.Context, run: Run): Promise<void> {
    const { res } = ctx
    res.statusCode = 404
    try {
      await run(ctx)
      if (isText(ctx)) res.end(ctx.body, encodingOf(ctx))
      else await handleRequest.call(this, ctx, statusOf(ctx))
    } catch (error) {
      ctx.onerror(error as Error)
    }
  }
}

const bodiless = new Set([204, 205, 304])

/** Most answers; all others are for Koa to send. */
function isText({ response, respond, req, res }: Koa.Context): boolean {
  const { body, writable } = response
  if (typeof body !== 'string' || !writable || respond === false) return false
  return req.method !== 'HEAD' && !bodiless.has(res.statusCode)
}

/** Koa has counted the bytes: where each is a character, Node writes them at once, and otherwise in three steps. */
function encodingOf({ response, res }: Koa.Context): 'latin1' | 'utf8' {
  return res.getHeader('Content-Length') === (response.body as string).length ? 'latin1' : 'utf8'
}

/** Koa begins every request with a 404. */
function statusOf({ res }: Koa.Context): Run {
  const { statusCode } = res
  return async () => {
    res.statusCode = statusCode
  }
}
