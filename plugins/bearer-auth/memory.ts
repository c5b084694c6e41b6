import type { Awaitable, Principal } from '#kernel'

const maxKept = 1_000
const keptFor = 60_000

/** Whose token it is, and when it ends, in milliseconds. */
export interface Verified {
  readonly principal: Principal
  readonly ends: number
}

/** Verifying a signature is dear: whose a token is is remembered for a minute, and never past its end. */
export function remembering(
  verify: (token: string) => Promise<Verified>,
  now: () => number = Date.now,
): (token: string) => Awaitable<Principal> {
  const kept = new Map<string, { readonly principal: Principal; readonly until: number }>()
  const verifyAnew = async (token: string) => {
    kept.delete(token)
    const { principal, ends } = await verify(token)
    if (kept.size >= maxKept) kept.clear()
    kept.set(token, { principal, until: Math.min(now() + keptFor, ends) })
    return principal
  }
  return (token) => {
    const known = kept.get(token)
    return known && now() < known.until ? known.principal : verifyAnew(token)
  }
}
