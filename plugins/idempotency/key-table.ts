import type { App, RequestTransaction } from '#kernel/plugin'
import { buildLockName, type RequestKey } from './key.ts'
import { measureResponse, type StoredResponse } from './stored-response.ts'

type Run = RequestTransaction['unit']['run']

export interface Claim {
  /** Whether this transaction has the lock of the key. */
  readonly isLocked: boolean
  /** Null if no response is stored. */
  readonly found: Found | null
}

export interface Found {
  readonly fingerprint: string
  readonly response: StoredResponse
}

const columns = 'k.fingerprint, k.status, k.headers, k.body, k.local_ids as "localIds"'
const isKept = (seconds: string) => `k.created_at > now() - ${seconds}::int * interval '1 second'`

/**
 * Locks the key until the end of the transaction, without waiting, and reads its stored response, in one statement. The
 * statement may not see a row that was committed while the lock was taken: `insertResponse` returns false then.
 */
export async function claimKey(run: Run, key: RequestKey, retention: number): Promise<Claim> {
  const sql = `select pg_try_advisory_xact_lock($1::bigint) as "isLocked", ${columns}
    from (values (1)) as one left join idempotency_keys k on k.id = $2 and ${isKept('$3')}`
  const [row = {}] = await run(sql, [buildLockName(key), key.id, retention])
  return { isLocked: row.isLocked === true, found: toFound(row) }
}

export async function findResponse({ store }: App, key: RequestKey, retention: number): Promise<Found | null> {
  const sql = `select ${columns} from idempotency_keys k where k.id = $1 and ${isKept('$2')}`
  const [row] = await store.query(sql, [key.id, retention])
  return row ? toFound(row) : null
}

/** Stores a response. Returns false if the key has one already that is not expired. */
export async function insertResponse(
  run: Run,
  key: RequestKey,
  response: StoredResponse,
  retention: number,
): Promise<boolean> {
  const sql = `insert into idempotency_keys as k (id, fingerprint, status, headers, body, bytes, local_ids, principal)
    values ($1, $2, $3::smallint, $4, $5, $6::int, $7, $8)
    on conflict (id) do update set fingerprint = excluded.fingerprint, status = excluded.status,
      headers = excluded.headers, body = excluded.body, bytes = excluded.bytes, local_ids = excluded.local_ids,
      created_at = excluded.created_at
    where not (${isKept('$9')}) returning k.id`
  const rows = await run(sql, [key.id, key.fingerprint, ...toValues(response), key.principal, retention])
  return rows.length > 0
}

/** Replaces the response that this request has stored. Returns false if its transaction was rolled back. */
export async function updateResponse({ store }: App, key: RequestKey, response: StoredResponse): Promise<boolean> {
  const sql = `update idempotency_keys as k set status = $3::smallint, headers = $4, body = $5, bytes = $6::int,
      local_ids = $7
    where k.id = $1 and k.fingerprint = $2 returning k.id`
  const rows = await store.query(sql, [key.id, key.fingerprint, ...toValues(response)])
  return rows.length > 0
}

function toValues(response: StoredResponse): unknown[] {
  const { status, headers, body, localIds } = response
  return [status, JSON.stringify(headers), body, measureResponse(response), localIds && JSON.stringify(localIds)]
}

function toFound({ fingerprint, status, headers, body, localIds }: Record<string, unknown>): Found | null {
  if (status === null || status === undefined) return null
  const response = {
    status: Number(status),
    headers: JSON.parse(headers as string),
    body: body as string | null,
    localIds: JSON.parse((localIds as string | null) ?? 'null'),
  }
  return { fingerprint: fingerprint as string, response }
}
