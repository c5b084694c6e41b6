/**
 * Merges concurrent calls: one run at a time, and calls during a run share the next one. So no caller gets a result that
 * is older than its call.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined
  return () => {
    queued ??= running.then(() => {
      queued = undefined
      running = work().catch(() => {})
      return running
    })
    return queued
  }
}
