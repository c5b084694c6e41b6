import Joi from 'joi'
import type Koa from 'koa'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import { identifyClient } from '#http'
import { maxTimerSeconds, type Plugin } from '#kernel/plugin'
import { describeRateLimit } from './describe.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The limit of all requests. Undefined if there is none. */
    rateLimit?: RateLimit
  }
}

export { createRateLimit, type RateLimit, type RateLimitSize } from './rate-limit.ts'

export interface RateLimitOptions {
  /** The key by which requests are counted; the client's address by default. */
  readonly keyOf?: (ctx: Koa.Context) => string
}

/** Rate limit: allows a client RATE_LIMIT requests in RATE_LIMIT_SECONDS. Disabled if RATE_LIMIT is not set. */
export function rateLimit({ keyOf = identifyClient }: RateLimitOptions = {}): Plugin {
  return {
    name: 'rate-limit',
    environment: {
      RATE_LIMIT: Joi.number().integer().min(0).default(0),
      RATE_LIMIT_SECONDS: Joi.number().integer().min(1).max(maxTimerSeconds).default(60),
      RATE_LIMIT_STORE: Joi.string().valid('memory', 'postgres', 'redis').default('memory'),
      REDIS_URL: Joi.string()
        .uri({ scheme: ['redis', 'rediss'] })
        .when('RATE_LIMIT_STORE', { not: 'redis', otherwise: Joi.required() }),
    },

    supervise({ RATE_LIMIT: limit, RATE_LIMIT_STORE: store }) {
      if (limit && store === 'memory') new RateLimiterClusterMaster() // counts for all workers
    },

    async setup(app) {
      const size = Number(app.config.variables.RATE_LIMIT ?? 0)
      if (size > 0) app.rateLimit = await createRateLimit(app, { name: 'default', size })
    },

    middleware(app) {
      const { rateLimit: limit } = app
      if (!limit) return null
      return async (ctx, next) => {
        await limit.consume(ctx, keyOf(ctx))
        return next()
      }
    },

    describe: describeRateLimit,

    close: (app) => app.rateLimit?.close(),
  }
}
