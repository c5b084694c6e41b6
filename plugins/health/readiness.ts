import { setTimeout } from 'node:timers/promises'
import type { App, Store } from '#kernel/plugin'

/** What `/ready` says. */
export interface Readiness {
  readonly status: 'ok' | 'stopping' | 'database unreachable' | 'migrations pending'
  readonly migrations?: readonly string[]
}

/** For how long an answer holds, and how long the database has to give one, in milliseconds. */
const holds = 1_000
const patience = 2_000

/** Asks the database at most once a second, however often it is asked itself. */
export function createReadiness({ store, stopping }: App): () => Promise<Readiness> {
  let asked = Number.NEGATIVE_INFINITY
  let latest: Promise<Readiness>
  return async () => {
    if (stopping.aborted) return { status: 'stopping' }
    if (performance.now() - asked > holds) {
      asked = performance.now()
      latest = check(store)
    }
    return latest
  }
}

async function check(store: Store): Promise<Readiness> {
  try {
    const migrations = await Promise.race([store.pendingMigrations(), tooLate()])
    return migrations.length > 0 ? { status: 'migrations pending', migrations } : { status: 'ok' }
  } catch {
    return { status: 'database unreachable' }
  }
}

async function tooLate(): Promise<never> {
  await setTimeout(patience, undefined, { ref: false })
  throw new Error('The database does not answer.')
}
