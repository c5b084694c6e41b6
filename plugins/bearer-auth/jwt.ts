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
import { cacheClaims } from './claims-cache.ts'
import { invalidToken } from './credentials.ts'
import type { JwtVariables } from './environment.ts'
import type { Verifier } from './verifier.ts'

/** Creates the verifier for signed tokens: https://www.rfc-editor.org/rfc/rfc7519 */
export function jwtVerifier(
  variables: JwtVariables,
  principalOf: (claims: JWTPayload) => Principal,
  logger: Logger | null,
): Verifier {
  const key = verificationKey(variables, logger)
  const options = {
    algorithms: [...variables.JWT_ALGORITHMS],
    issuer: variables.JWT_ISSUER,
    audience: [...variables.JWT_AUDIENCE],
    clockTolerance: variables.JWT_CLOCK_TOLERANCE,
    requiredClaims: ['exp', 'sub'],
  }
  const readClaims = cacheClaims((token) => verifyClaims(token, key, options))
  const toPrincipal = (claims: JWTPayload): Principal => {
    try {
      return principalOf(claims)
    } catch (error) {
      return rejectToken(error)
    }
  }
  return (token) => {
    const claims = readClaims(token)
    return claims instanceof Promise ? claims.catch(rejectToken).then(toPrincipal) : toPrincipal(claims)
  }
}

/** Throws 401 for an error of verification, with its reason in debug mode only: otherwise only an expired token is named as such. */
function rejectToken(error: unknown): never {
  if (isHttpError(error)) throw error
  if (error instanceof errors.JWTExpired) throw invalidToken('The token has expired.')
  throw invalidToken('The token is not valid.', error instanceof Error ? error.message : '')
}

export function principalFromClaims({ sub, roles }: JWTPayload): Principal {
  if (typeof sub !== 'string' || sub === '') throw invalidToken('The token has no subject (sub).')
  return { identifier: sub, roles: Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [] }
}

/** Verifies signature and claims. Tries every matching key of the set if the token has no key id (`kid`). */
async function verifyClaims(token: string, key: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  const result = await jwtVerify(token, key, options).catch((error: unknown) => error)
  if (!(result instanceof Error)) return (result as JWTVerifyResult).payload
  if (!(result instanceof errors.JWKSMultipleMatchingKeys)) throw result
  for await (const candidate of result) {
    const verified = await jwtVerify(token, candidate, options).catch(() => null)
    if (verified) return verified.payload
  }
  throw result
}

/** Returns the shared secret, or the key set of the issuer: fetched with the first token and cached for ten minutes. */
function verificationKey({ JWT_SECRET, JWT_JWKS_URL }: JwtVariables, logger: Logger | null): JWTVerifyGetKey {
  if (JWT_JWKS_URL === undefined) {
    const secret = new TextEncoder().encode(JWT_SECRET)
    return async () => secret
  }
  const remoteKeys = createRemoteJWKSet(new URL(JWT_JWKS_URL))
  return (header, token) =>
    remoteKeys(header, token).catch((error: unknown) => {
      if (isTokenError(error)) throw error
      logger?.warn({ err: error }, 'JWT key set cannot be fetched; requests with a token return 503.')
      throw createError(503, 'The keys that verify tokens cannot be fetched. Retry later.', {
        headers: { 'Retry-After': '5' },
      })
    })
}

/** Returns true if the token is at fault, because it names a key or an algorithm that the key set lacks. */
function isTokenError(error: unknown): boolean {
  const kinds = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]
  return kinds.some((kind) => error instanceof kind)
}
