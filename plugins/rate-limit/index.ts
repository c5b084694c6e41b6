import createError from 'http-errors'
import Joi from 'joi'
import type Koa from 'koa'
import { RateLimiterClusterMaster, RateLimiterRes } from 'rate-limiter-flexible'
import type { App, Plugin } from '#kernel/plugin'
import { clientOf } from './client.ts'
import { describeRateLimit } from './describe.ts'
import { createLimiter, type Limiter, type RateLimitVariables } from './limiter.ts'

export interface RateLimitOptions {
  /** The key by which requests are counted; the client's address by default. */
  readonly keyOf?: (ctx: Koa.Context) => string
}

/** Rate limit: allows a client RATE_LIMIT requests in RATE_LIMIT_SECONDS. Disabled if RATE_LIMIT is not set. */
export function rateLimit({ keyOf = clientOf }: RateLimitOptions = {}): Plugin {
  const limiters = new WeakMap<App, Limiter>()
  return {
    name: 'rate-limit',
    environment: {
      RATE_LIMIT: Joi.number().integer().min(0).default(0),
      RATE_LIMIT_SECONDS: Joi.number().integer().min(1).default(60),
      RATE_LIMIT_STORE: Joi.string().valid('memory', 'postgres', 'redis').default('memory'),
      REDIS_URL: Joi.string()
        .uri({ scheme: ['redis', 'rediss'] })
        .when('RATE_LIMIT_STORE', { not: 'redis', otherwise: Joi.required() }),
    },

    supervise({ RATE_LIMIT: limit, RATE_LIMIT_STORE: store }) {
      if (limit && store === 'memory') new RateLimiterClusterMaster() // counts for all workers
    },

    async setup(app) {
      const variables = app.config.variables as Partial<RateLimitVariables>
      if (variables.RATE_LIMIT) limiters.set(app, await createLimiter(app, variables as RateLimitVariables))
    },

    middleware(app) {
      const { RATE_LIMIT: limit, RATE_LIMIT_SECONDS: window } = app.config.variables as Partial<RateLimitVariables>
      if (!limit) return null
      const policy = `"default";q=${limit};w=${window}`
      return async (ctx, next) => {
        const { outcome, isExceeded } = await consume(limiters.get(app) as Limiter, keyOf(ctx))
        const seconds = Math.ceil(outcome.msBeforeNext / 1000)
        ctx.set('RateLimit-Policy', policy)
        ctx.set('RateLimit', `"default";r=${isExceeded ? 0 : outcome.remainingPoints};t=${seconds}`)
        if (isExceeded) reject(ctx, seconds)
        return next()
      }
    },

    describe: describeRateLimit,

    close: (app) => limiters.get(app)?.close(),
  }
}

/** The limiter throws its outcome if the limit is exceeded. */
async function consume(limiter: Limiter, key: string): Promise<{ outcome: RateLimiterRes; isExceeded: boolean }> {
  try {
    return { outcome: await limiter.consume(key), isExceeded: false }
  } catch (thrown) {
    if (thrown instanceof RateLimiterRes) return { outcome: thrown, isExceeded: true }
    throw thrown
  }
}

function reject(ctx: Koa.Context, seconds: number): never {
  ctx.state.refusedBy = 'rate-limit'
  throw createError(429, 'Too many requests.', { headers: { 'Retry-After': String(Math.max(seconds, 1)) } })
}
