import type { Plugin, Principal } from '#kernel/plugin'
import { createRateLimit, type RateLimit } from '#plugins/rate-limit/index.ts'

declare module '#kernel/plugin' {
  interface App {
    /** The limits of principals by size. */
    userLimits?: ReadonlyMap<number, RateLimit>
  }
}

export interface UserRateLimitOptions {
  /** Requests in RATE_LIMIT_SECONDS by role. */
  readonly roles: Readonly<Record<string, number>>
  /** Requests of a principal without any of these roles. */
  readonly otherwise: number
  /** The requests that a write counts as. */
  readonly writeCost?: number
}

/** Rate limit per principal. Anonymous requests are limited by their address only. Disabled if RATE_LIMIT is not set. */
export function userRateLimit({ roles, otherwise, writeCost = 1 }: UserRateLimitOptions): Plugin {
  return {
    name: 'user-rate-limit',
    requires: ['rate-limit', 'bearer-auth'],

    async setup(app) {
      if (!app.config.variables.RATE_LIMIT) return
      const sizes = new Set([...Object.values(roles), otherwise])
      const created = [...sizes].map(
        async (size) => [size, await createRateLimit(app, { name: 'user', size })] as const,
      )
      app.userLimits = new Map(await Promise.all(created))
    },

    /** Runs after bearer-auth, which sets the principal. */
    async onRoute({ app, ctx }) {
      const { principal } = ctx.state
      if (!principal) return
      const cost = ['GET', 'HEAD', 'OPTIONS'].includes(ctx.method) ? 1 : writeCost
      await app.userLimits?.get(sizeFor(principal))?.consume(ctx, principal.identifier, cost)
    },

    async close(app) {
      for (const limit of app.userLimits?.values() ?? []) await limit.close()
    },
  }

  /** The largest limit of the roles of the principal. */
  function sizeFor(principal: Principal): number {
    const sizes = Object.entries(roles).flatMap(([role, size]) => (principal.roles.includes(role) ? size : []))
    return sizes.length > 0 ? Math.max(...sizes) : otherwise
  }
}
