import { createHmac } from 'node:crypto'
import { type App, getOrCreate } from '#kernel/plugin'

/**
 * A digest of a whole row, of which the requester may see a part. Without a key, the hidden values could be found by trying:
 * null if the environment sets no secret.
 */
export function keyedDigest(content: string, app: App): string | null {
  const key = getOrCreate(keys, app, createKey)
  return key && createHmac('sha256', key).update(content).digest('base64').slice(0, 22)
}

const keys = new WeakMap<App, Buffer | null>()

/** A key of its own, so that JWT_SECRET signs nothing but tokens. All processes with the same secret have the same key. */
function createKey({ config }: App): Buffer | null {
  const { ETAG_SECRET, JWT_SECRET } = config.variables as { ETAG_SECRET?: string; JWT_SECRET?: string }
  const secret = ETAG_SECRET ?? JWT_SECRET
  return secret === undefined ? null : createHmac('sha256', secret).update('versions of rows').digest()
}
