import type { JWTPayload } from 'jose'
import type { Awaitable } from '#kernel/plugin'

const maxKept = 1_000
const keptFor = 60_000

/** Verifying a signature is dear: what a token says is remembered for a minute, and never past its end. */
export function remembering(
  read: (token: string) => Promise<JWTPayload>,
  now: () => number = Date.now,
): (token: string) => Awaitable<JWTPayload> {
  const kept = new Map<string, { readonly claims: JWTPayload; readonly until: number }>()
  const readAnew = async (token: string) => {
    kept.delete(token)
    const claims = await read(token)
    if (kept.size >= maxKept) kept.clear()
    kept.set(token, { claims, until: Math.min(now() + keptFor, (claims.exp ?? 0) * 1_000) })
    return claims
  }
  return (token) => {
    const known = kept.get(token)
    return known && now() < known.until ? known.claims : readAnew(token)
  }
}
