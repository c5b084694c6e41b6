import { type JWTPayload, jwtVerify } from 'jose'
import type Koa from 'koa'

// Only administrators see users. A token that was found good is kept, because checking its signature is dear.

const secret = new TextEncoder().encode(process.env.JWT_SECRET)
const expected = { issuer: process.env.JWT_ISSUER as string, audience: process.env.JWT_AUDIENCE as string }
const known = new Map<string, JWTPayload>()

export async function requireAdmin(ctx: Koa.Context): Promise<void> {
  const [scheme, token] = ctx.get('Authorization').split(' ')
  if (scheme !== 'Bearer' || !token) return ctx.throw(401)
  const claims = known.get(token) ?? (await verify(ctx, token))
  if ((claims.exp as number) * 1000 < Date.now()) ctx.throw(401)
  if (!(claims.roles as string[] | undefined)?.includes('admin')) ctx.throw(403)
}

async function verify(ctx: Koa.Context, token: string): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, secret, { ...expected, requiredClaims: ['exp'] })
    if (known.size >= 1_000) known.clear()
    known.set(token, payload)
    return payload
  } catch {
    return ctx.throw(401)
  }
}
