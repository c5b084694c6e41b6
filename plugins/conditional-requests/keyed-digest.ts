import { createHmac } from 'node:crypto'
import type { App } from '#kernel/plugin'

declare module '#kernel/plugin' {
  interface App {
    /** The key of digests. Null if the environment sets no secret. */
    digestKey?: Buffer | null
  }
}

/**
 * A digest of a whole row, of which the requester may see a part. Without a key, the hidden values could be found by trying:
 * null if the environment sets no secret.
 */
export function keyedDigest(content: string, app: App): string | null {
  if (app.digestKey === undefined) app.digestKey = createKey(app)
  const { digestKey: key } = app
  return key && createHmac('sha256', key).update(content).digest('base64').slice(0, 22)
}

/** A key of its own, so that JWT_SECRET signs nothing but tokens. All processes with the same secret have the same key. */
function createKey({ config }: App): Buffer | null {
  const { ETAG_SECRET, JWT_SECRET } = config.variables as { ETAG_SECRET?: string; JWT_SECRET?: string }
  const secret = ETAG_SECRET ?? JWT_SECRET
  return secret === undefined ? null : createHmac('sha256', secret).update('versions of rows').digest()
}
