import { setTimeout } from 'node:timers/promises'
import type { App, Store } from '#kernel/plugin'

/** The response of the readiness check. */
export interface Readiness {
  readonly status: 'ok' | 'stopping' | 'database unreachable' | 'migrations pending' | 'columns missing'
  readonly migrations?: readonly string[]
  /** Columns and tables of entities that the database lacks. */
  readonly columns?: readonly string[]
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
    return await Promise.race([compareSchema(store), rejectAfterTimeout()])
  } catch {
    return { status: 'database unreachable' }
  }
}

async function compareSchema(store: Store): Promise<Readiness> {
  const migrations = await store.pendingMigrations()
  if (migrations.length > 0) return { status: 'migrations pending', migrations }
  const columns = await store.missingColumns()
  return columns.length > 0 ? { status: 'columns missing', columns } : { status: 'ok' }
}

async function rejectAfterTimeout(): Promise<never> {
  await setTimeout(timeout, undefined, { ref: false })
  throw new Error('The database did not respond in time.')
}
