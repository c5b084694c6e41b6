import createError, { isHttpError } from 'http-errors'
import {
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import type { Logger, Principal } from '#kernel/plugin'
import { remembering } from './claims-cache.ts'
import { invalidToken } from './credentials.ts'
import type { JwtVariables } from './environment.ts'
import type { Verifier } from './verifier.ts'

/** Verifies signed tokens: https://www.rfc-editor.org/rfc/rfc7519 */
export function jwtVerifier(
  variables: JwtVariables,
  principalOf: (claims: JWTPayload) => Principal,
  logger: Logger | null,
): Verifier {
  const key = keyFrom(variables, logger)
  const options = {
    algorithms: [...variables.JWT_ALGORITHMS],
    issuer: variables.JWT_ISSUER,
    audience: [...variables.JWT_AUDIENCE],
    clockTolerance: variables.JWT_CLOCK_TOLERANCE,
    requiredClaims: ['exp', 'sub'],
  }
  const read = remembering((token) => claimsOf(token, key, options))
  const introduce = (claims: JWTPayload): Principal => {
    try {
      return principalOf(claims)
    } catch (error) {
      return refuse(error)
    }
  }
  return (token) => {
    const claims = read(token)
    return claims instanceof Promise ? claims.catch(refuse).then(introduce) : introduce(claims)
  }
}

function refuse(error: unknown): never {
  if (isHttpError(error)) throw error
  throw invalidToken(error instanceof errors.JWTExpired ? 'The token has expired.' : 'The token is not valid.')
}

export function principalOfClaims({ sub, roles }: JWTPayload): Principal {
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token names nobody.')
  return { identifier: sub, roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [] }
}

/** A token that does not say which key it was signed with is held against each that may be meant. */
async function claimsOf(token: string, key: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  const failure = await jwtVerify(token, key, options).catch((error: unknown) => error)
  if (!(failure instanceof Error)) return (failure as JWTVerifyResult).payload
  if (!(failure instanceof errors.JWKSMultipleMatchingKeys)) throw failure
  for await (const candidate of failure) {
    const verified = await jwtVerify(token, candidate, options).catch(() => null)
    if (verified) return verified.payload
  }
  throw failure
}

/** A shared secret, or the key set of the issuer: fetched when the first token needs it, and kept for ten minutes. */
function keyFrom({ JWT_SECRET, JWT_JWKS_URL }: JwtVariables, logger: Logger | null): JWTVerifyGetKey {
  if (JWT_JWKS_URL === undefined) {
    const secret = new TextEncoder().encode(JWT_SECRET)
    return async () => secret
  }
  const fromSet = createRemoteJWKSet(new URL(JWT_JWKS_URL))
  return (header, token) =>
    fromSet(header, token).catch((error: unknown) => {
      if (isAboutToken(error)) throw error
      logger?.warn({ err: error }, 'The key set cannot be fetched')
      throw createError(503, 'The keys of tokens cannot be fetched.', { headers: { 'Retry-After': '5' } })
    })
}

/** Not the key set is at fault, but the token that asks for a key it does not have. */
function isAboutToken(error: unknown): boolean {
  const kinds = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]
  return kinds.some((kind) => error instanceof kind)
}
