import createError from 'http-errors'
import type Koa from 'koa'
import { markVariesByPrincipal } from './vary.ts'

/** Who asks, as the credentials of the request have proved. */
export interface Principal {
  readonly identifier: string
  readonly roles: readonly string[]
}

/** Refuses one who may not: 401 while nobody knows who asks, 403 otherwise. */
export function denial(principal: Principal | null, what: string): Error {
  if (principal) return createError(403, `${what} is not allowed.`)
  return createError(401, `${what} needs authentication.`, { headers: { 'WWW-Authenticate': 'Bearer' } })
}

/** Middleware of a server that is only for principals with the role. */
export function requireRole(role: string): Koa.Middleware {
  return (ctx, next) => {
    markVariesByPrincipal(ctx)
    const principal: Principal | null = ctx.state.principal ?? null
    if (!principal?.roles.includes(role)) throw denial(principal, 'Access to this server')
    return next()
  }
}
