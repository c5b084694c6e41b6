import type { JWTPayload } from 'jose'

type Read = (token: string) => Promise<JWTPayload>

const maxKept = 1_000
const keptFor = 60_000

/** Verifying a signature is dear: what a token says is remembered for a minute, and never past its end. */
export function remembering(read: Read, now: () => number = Date.now): Read {
  const kept = new Map<string, { readonly claims: JWTPayload; readonly until: number }>()
  return async (token) => {
    const known = kept.get(token)
    if (known && now() < known.until) return known.claims
    kept.delete(token)
    const claims = await read(token)
    if (kept.size >= maxKept) kept.clear()
    kept.set(token, { claims, until: Math.min(now() + keptFor, (claims.exp ?? 0) * 1_000) })
    return claims
  }
}
