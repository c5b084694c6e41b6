import type { Awaitable } from '../../lib/awaitable.ts'
import { runInOrder } from '../../lib/run-in-order.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { ApiResponse, Document } from '../../model/response.ts'

/** Applies the server's own profiles that the client has requested in `Accept`. Skips error documents. */
export function applyProfiles(
  request: ApiRequest,
  document: Document,
  response: ApiResponse,
): Awaitable<void> | undefined {
  if (response.kind === 'error') return undefined
  const requested = request.server.ownProfiles.filter(({ uri }) => request.media.profiles.has(uri))
  return runInOrder(requested, (profile) => profile.apply?.(document, request, response))
}
