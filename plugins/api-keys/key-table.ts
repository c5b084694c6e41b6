import type { Row } from '#kernel/plugin'

type Query = (sql: string, parameters: readonly unknown[]) => Promise<Row[]>

export interface StoredKey {
  readonly id: string
  readonly scopes: readonly string[]
}

const isValid = `hash = $1 and (expires_at is null or expires_at > now())`

/**
 * Finds a key that is not expired, and records its use at most once a minute, in one statement. Nothing is cached, so that
 * a deleted key is refused at once by every process.
 */
export async function findKey(query: Query, hash: string): Promise<StoredKey | null> {
  const sql = `with used as (
      update api_keys set last_used_at = now()
      where ${isValid} and (last_used_at is null or last_used_at < now() - interval '1 minute')
    )
    select id::text as id, array_to_string(scopes, ' ') as scopes from api_keys where ${isValid}`
  const [row] = await query(sql, [hash])
  return row ? { id: String(row.id), scopes: String(row.scopes).split(' ').filter(Boolean) } : null
}
