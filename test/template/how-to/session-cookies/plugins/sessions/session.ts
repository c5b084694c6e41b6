import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type Koa from 'koa'
import type { App, Principal } from '#kernel/plugin'

/** The prefix makes browsers accept the cookie only with Secure and for this host alone. */
export const cookie = '__Host-session'
const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax'
const lifetimeSeconds = 8 * 3600

/** The part of a unit that sessions need. */
interface Unit {
  run(sql: string, parameters: readonly unknown[]): Promise<unknown>
}

/** Stores a session in the transaction of an action, sets the cookie, and returns the CSRF token of the session. */
export async function openSession(ctx: Koa.Context, unit: Unit, { identifier, roles }: Principal): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await unit.run(
    `insert into sessions (hash, identifier, roles, expires_at)
      values ($1, $2, $3::jsonb, now() + $4::int * interval '1 second')`,
    [hashOf(token), identifier, JSON.stringify(roles), lifetimeSeconds],
  )
  ctx.set('Set-Cookie', `${cookie}=${token}; ${attributes}; Max-Age=${lifetimeSeconds}`)
  return csrfTokenOf(token)
}

export async function closeSession(ctx: Koa.Context, unit: Unit): Promise<void> {
  await unit.run('delete from sessions where hash = $1', [hashOf(readToken(ctx) ?? '')])
  ctx.set('Set-Cookie', `${cookie}=; ${attributes}; Max-Age=0`)
}

export async function findSession({ store }: App, token: string): Promise<Principal | null> {
  const sql = 'select identifier, roles::text as roles from sessions where hash = $1 and expires_at > now()'
  const [row] = await store.query(sql, [hashOf(token)])
  return row ? { identifier: String(row.identifier), roles: JSON.parse(String(row.roles)) } : null
}

export function readToken(ctx: Koa.Context): string | null {
  return ctx.cookies.get(cookie) ?? null
}

/** Only the holder of the cookie can compute it, and no script can read the cookie. */
export function csrfTokenOf(token: string): string {
  return hashOf(`csrf ${token}`)
}

/** Whether the request has the CSRF token of its session. */
export function hasCsrfToken(ctx: Koa.Context, token: string): boolean {
  const [sent, expected] = [ctx.get('X-CSRF-Token'), csrfTokenOf(token)].map((text) => Buffer.from(hashOf(text)))
  return timingSafeEqual(sent as Buffer, expected as Buffer)
}

/** The database has hashes only: a copy of the table opens no session. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
