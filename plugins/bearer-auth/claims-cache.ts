import type { JWTPayload } from 'jose'
import type { Awaitable } from '#kernel/plugin'

const maxEntries = 1_000
const maxAgeMs = 60_000

/**
 * Caches the claims of verified tokens for a minute, but never past their `exp`, because verifying a signature is
 * expensive. Returns cached claims synchronously. A rejected token is not cached.
 */
export function cacheClaims(
  verify: (token: string) => Promise<JWTPayload>,
  now: () => number = Date.now,
): (token: string) => Awaitable<JWTPayload> {
  const entries = new Map<string, { readonly claims: JWTPayload; readonly expiresAt: number }>()
  const verifyAndCache = async (token: string) => {
    entries.delete(token)
    const claims = await verify(token)
    if (entries.size >= maxEntries) entries.clear()
    entries.set(token, { claims, expiresAt: Math.min(now() + maxAgeMs, (claims.exp ?? 0) * 1_000) })
    return claims
  }
  return (token) => {
    const cached = entries.get(token)
    return cached && now() < cached.expiresAt ? cached.claims : verifyAndCache(token)
  }
}
