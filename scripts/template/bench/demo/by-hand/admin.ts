import { type JWTPayload, jwtVerify } from 'jose'
import type Koa from 'koa'

// Only administrators can read users, and only the owner can change a playlist. Verified tokens are cached, because
// checking a signature is expensive.

const secret = new TextEncoder().encode(process.env.JWT_SECRET)
const expected = { issuer: process.env.JWT_ISSUER as string, audience: process.env.JWT_AUDIENCE as string }
const verifiedTokens = new Map<string, JWTPayload>()

/** Returns the subject of the token. */
export async function requireSubject(ctx: Koa.Context): Promise<string> {
  return String((await verifyClaims(ctx)).sub)
}

export async function requireAdmin(ctx: Koa.Context): Promise<void> {
  const { roles } = await verifyClaims(ctx)
  if (!(roles as string[] | undefined)?.includes('admin')) ctx.throw(403)
}

async function verifyClaims(ctx: Koa.Context): Promise<JWTPayload> {
  const [scheme, token] = ctx.get('Authorization').split(' ')
  if (scheme !== 'Bearer' || !token) return ctx.throw(401)
  const claims = verifiedTokens.get(token) ?? (await verify(ctx, token))
  if ((claims.exp as number) * 1000 < Date.now()) ctx.throw(401)
  return claims
}

async function verify(ctx: Koa.Context, token: string): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, secret, { ...expected, requiredClaims: ['exp'] })
    if (verifiedTokens.size >= 1_000) verifiedTokens.clear()
    verifiedTokens.set(token, payload)
    return payload
  } catch {
    return ctx.throw(401)
  }
}
