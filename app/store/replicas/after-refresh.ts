import { setTimeout } from 'node:timers/promises'
import type { DirectQuery } from '../connection/types.ts'

/** Milliseconds a read waits for the position of the primary. */
const refreshWait = 100

/**
 * Chooses the server of a read after the position of the primary is polled, or after a short time without an answer. The
 * read rejects with a 503 if its deadline expires first, and sends no statement afterwards.
 */
export function queryAfterRefresh(
  refresh: () => Promise<void>,
  choose: () => DirectQuery,
  wait: () => Promise<unknown> = () => setTimeout(refreshWait, undefined, { ref: false }),
): DirectQuery {
  let chosen: Promise<DirectQuery> | undefined
  return async (sql, parameters, deadline) => {
    chosen ??= Promise.race([refresh(), wait()]).then(choose)
    const query = await (deadline ? deadline.within(chosen) : chosen)
    deadline?.check()
    return query(sql, parameters, deadline)
  }
}
