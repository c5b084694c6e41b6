import createError from 'http-errors'
import type Koa from 'koa'

/** The token of the request; null when it carries no credentials. */
export function readToken(ctx: Koa.Context): string | null {
  const header = ctx.headers.authorization
  if (header === undefined) return null
  const [, token] = /^Bearer +(\S.*)$/i.exec(header) ?? []
  if (token === undefined) throw unauthorized('Credentials must be a bearer token.', 'Bearer')
  if (isRepeated(ctx)) throw invalidToken('The request carries more than one token.')
  return token
}

/** https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export function invalidToken(description: string): Error {
  return unauthorized(description, `Bearer error="invalid_token", error_description="${description}"`)
}

function unauthorized(message: string, challenge: string): Error {
  return createError(401, message, { headers: { 'WWW-Authenticate': challenge } })
}

/** Node shows only the first of several headers of this name. */
function isRepeated({ req: { rawHeaders } }: Koa.Context): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'authorization') times++
  }
  return times > 1
}
