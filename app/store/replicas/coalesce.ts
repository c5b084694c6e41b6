/**
 * Runs the work once for all callers that come before it begins; callers that come while it runs share the next run. So
 * each caller gets a result that is not older than its call, and there is one run at a time, however many call.
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
