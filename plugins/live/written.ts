import type Koa from 'koa'
import type { App } from '#kernel/plugin'

// Read-your-writes for streams: with replicas, a client that has written gets a cookie with the position of the primary in its
// WAL, and its reads use replicas that have replayed it, or the primary (docs/scaling.md). The reads of a stream have the cookie
// of a client that has made the changes which the stream shows.

const cookie = 'written'

/** The position that the cookie has after a write: flushed, because replicas receive no other. */
const position = `select (case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::text as position`

/** Returns the position of all changes that were committed before. Null without replicas. */
export async function readWritten({ store }: App): Promise<string | null> {
  if (!store.replicas) return null
  const [row] = await store.query(position)
  return row?.position as string
}

/** Sets the cookie of a copied context, for this copy only. */
export function requireWritten(ctx: Koa.Context, written: string): void {
  const { cookies } = ctx
  const get: typeof cookies.get = (name, options) => (name === cookie ? written : cookies.get(name, options))
  Object.defineProperty(ctx, 'cookies', { value: Object.create(cookies, { get: { value: get } }) })
}
