import { setTimeout } from 'node:timers/promises'
import type { App, Store } from '#kernel/plugin'

/** The response of the readiness check. */
export interface Readiness {
  readonly status: 'ok' | 'stopping' | 'database unreachable' | 'migrations pending'
  readonly migrations?: readonly string[]
}

/** Milliseconds for which a result is cached, and after which a check of the database times out. */
const cacheTime = 1_000
const timeout = 2_000

/** Queries the database at most once a second. */
export function createReadiness({ store, stopping }: App): () => Promise<Readiness> {
  let checkedAt = Number.NEGATIVE_INFINITY
  let latest: Promise<Readiness>
  return async () => {
    if (stopping.aborted) return { status: 'stopping' }
    if (performance.now() - checkedAt > cacheTime) {
      checkedAt = performance.now()
      latest = check(store)
    }
    return latest
  }
}

async function check(store: Store): Promise<Readiness> {
  try {
    const migrations = await Promise.race([store.pendingMigrations(), rejectAfterTimeout()])
    return migrations.length > 0 ? { status: 'migrations pending', migrations } : { status: 'ok' }
  } catch {
    return { status: 'database unreachable' }
  }
}

async function rejectAfterTimeout(): Promise<never> {
  await setTimeout(timeout, undefined, { ref: false })
  throw new Error('The database did not respond in time.')
}
