import createError from 'http-errors'
import type Koa from 'koa'
import { isRepeated } from '#http'

/** Reads the bearer token of the header `Authorization`. Throws 401 for any other scheme. */
export function readToken(ctx: Koa.Context, header: string): string {
  const [, token] = /^Bearer +(\S.*)$/i.exec(header) ?? []
  if (token === undefined) throw unauthorized('The Authorization header must be: Bearer <token>.', 'Bearer')
  if (isRepeated(ctx.req.rawHeaders, 'authorization'))
    throw invalidToken('The request has more than one Authorization header.')
  return token
}

/** Creates a 401 with the challenge of https://www.rfc-editor.org/rfc/rfc6750#section-3. The cause is shown in debug mode only. */
export function invalidToken(description: string, cause = ''): Error {
  const challenge = `Bearer error="invalid_token", error_description="${description}"`
  return unauthorized(description, challenge, cause && `${description} ${cause}`)
}

function unauthorized(message: string, challenge: string, reason = ''): Error {
  return createError(401, message, { headers: { 'WWW-Authenticate': challenge }, ...(reason && { reason }) })
}
