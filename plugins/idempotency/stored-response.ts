import type { OutgoingHttpHeaders } from 'node:http'
import type Koa from 'koa'
import type { ApiResponse } from '#kernel/plugin'

/** A response as it is stored. */
export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** The ids of created resources by local id, to authorize a repeated batch. Null if there are none. */
  readonly localIds: Readonly<Record<string, string>> | null
}

/** Statuses of errors that depend on the data and are stored. */
export const storedErrors: ReadonlySet<number> = new Set([403, 404, 409, 412, 422])

/** Set by the HTTP server for every response, or of no use to another client connection. */
const notStored = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'date',
  'set-cookie',
])

/** Takes the response from `ctx`, with the headers that were set or changed since `before`. */
export function captureResponse(
  { status, body, res }: Koa.Context,
  before: OutgoingHttpHeaders,
): Omit<StoredResponse, 'localIds'> {
  const changed = Object.entries(res.getHeaders()).filter(
    ([name, value]) => value !== undefined && !notStored.has(name) && String(value) !== String(before[name]),
  )
  const headers = Object.fromEntries(changed.map(([name, value]) => [name, [value].flat().join(', ')]))
  return { status, headers, body: status === 204 || body === null || body === undefined ? null : String(body) }
}

export function measureResponse({ body, headers, localIds }: StoredResponse): number {
  const texts = [body ?? '', JSON.stringify(headers), localIds ? JSON.stringify(localIds) : '']
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** The response to a repeated request. */
export function toReplay({ status, headers, body }: StoredResponse): ApiResponse & { readonly kind: 'rendered' } {
  return { kind: 'rendered', status, headers: { ...headers, 'Idempotency-Replayed': 'true' }, body }
}
