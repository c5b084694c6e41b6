import createError from 'http-errors'
import type Koa from 'koa'
import { addVary, markVariesByPrincipal } from '../lib/vary.ts'

/** The authenticated user or program. */
export interface Principal {
  readonly identifier: string
  readonly roles: readonly string[]
}

/** The requester, as functions of resource authors receive it. */
export interface Caller {
  /** Null for an anonymous request. Reading it adds `Vary: Authorization` to the response. */
  readonly principal: Principal | null
  readonly serverName: string
  /** Null if the program dispatched the operation on behalf of a principal. */
  readonly method: string | null
  /** Returns a request header, and adds its name to `Vary`; undefined if it was not sent. */
  header(name: string): string | undefined
}

/** The requester of an HTTP request. perf: a class, because V8 keeps an object literal with a getter as a dictionary. */
export class HttpCaller implements Caller {
  readonly ctx: Koa.Context
  readonly serverName: string
  readonly method: string

  constructor(ctx: Koa.Context, serverName: string) {
    this.ctx = ctx
    this.serverName = serverName
    this.method = ctx.method
  }

  get principal(): Principal | null {
    markVariesByPrincipal(this.ctx)
    return this.ctx.state.principal ?? null
  }

  /** A property, so that functions of resource authors can destructure it. */
  readonly header = (name: string): string | undefined => {
    if (credentials.has(name.toLowerCase())) markVariesByPrincipal(this.ctx)
    addVary(this.ctx, name)
    return this.ctx.get(name) || undefined
  }
}

const credentials = new Set(['authorization', 'cookie'])

/**
 * Returns the error for a denied request: 401 if it is anonymous, otherwise 403. The cause, a sentence, is shown in debug mode
 * only: the names of policies and roles must not reach clients.
 */
export function denial(principal: Principal | null, action: string, cause = ''): Error {
  const status = principal ? 403 : 401
  const message = principal ? `${action} is not allowed.` : `${action} needs authentication.`
  const reason = [message, cause, `The requester is ${describePrincipal(principal)}.`].filter(Boolean).join(' ')
  return createError(status, message, { reason, ...(!principal && { headers: { 'WWW-Authenticate': 'Bearer' } }) })
}

function describePrincipal(principal: Principal | null): string {
  if (!principal) return 'anonymous'
  const { identifier, roles } = principal
  return `'${identifier}' ${roles.length > 0 ? `with the roles ${roles.join(', ')}` : 'without roles'}`
}

/** Returns middleware for a server that only principals with the role may use. */
export function requireRole(role: string): Koa.Middleware {
  return (ctx, next) => {
    markVariesByPrincipal(ctx)
    const principal = ctx.state.principal ?? null
    if (!principal?.roles.includes(role)) {
      throw denial(principal, 'Access to this server', `It requires the role '${role}'.`)
    }
    return next()
  }
}
