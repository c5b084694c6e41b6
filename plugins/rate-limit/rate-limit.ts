import createError from 'http-errors'
import type Koa from 'koa'
import { RateLimiterRes } from 'rate-limiter-flexible'
import type { App } from '#kernel/plugin'
import { createLimiter, type Limiter, type RateLimitVariables } from './limiter.ts'

export interface RateLimitSize {
  /** The name in the headers. Limits with other names or sizes count separately. */
  readonly name: string
  /** Requests in RATE_LIMIT_SECONDS. */
  readonly size: number
}

export interface RateLimit {
  /** Counts a request and adds the headers RateLimit and RateLimit-Policy. Throws 429 if the limit is exceeded. */
  consume(ctx: Koa.Context, key: string, cost?: number): Promise<void>
  close(): Promise<void>
}

/** Creates a limit in the store of RATE_LIMIT_STORE. Called in `setup` of a plugin. */
export async function createRateLimit(app: App, { name, size }: RateLimitSize): Promise<RateLimit> {
  const variables = app.config.variables as unknown as RateLimitVariables
  const limiter = await createLimiter(app, variables, { name, size })
  const policy = `"${name}";q=${size};w=${variables.RATE_LIMIT_SECONDS}`
  return {
    async consume(ctx, key, cost = 1) {
      const { outcome, isExceeded } = await count(limiter, key, cost)
      const seconds = Math.ceil(outcome.msBeforeNext / 1000)
      addToList(ctx, 'RateLimit-Policy', policy)
      addToList(ctx, 'RateLimit', `"${name}";r=${isExceeded ? 0 : outcome.remainingPoints};t=${seconds}`)
      if (isExceeded) reject(ctx, seconds)
    },
    close: () => limiter.close(),
  }
}

/** The limiter throws its outcome if the limit is exceeded. */
async function count(limiter: Limiter, key: string, cost: number) {
  try {
    return { outcome: await limiter.consume(key, cost), isExceeded: false }
  } catch (thrown) {
    if (thrown instanceof RateLimiterRes) return { outcome: thrown, isExceeded: true }
    throw thrown
  }
}

function addToList(ctx: Koa.Context, header: string, item: string): void {
  const items = ctx.response.get(header)
  ctx.set(header, items ? `${items}, ${item}` : item)
}

function reject(ctx: Koa.Context, seconds: number): never {
  ctx.state.refusedBy = 'rate-limit'
  throw createError(429, 'Too many requests.', { headers: { 'Retry-After': String(Math.max(seconds, 1)) } })
}
