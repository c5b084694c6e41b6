import cluster from 'node:cluster'

const interval = 200

/**
 * Stops a process of npm when the process that started it ends: npm passes SIGTERM to its shell only, which ends without passing
 * it on. Without npm, signals reach the process.
 */
export function stopWithParent(): void {
  if (process.env.npm_lifecycle_event === undefined || cluster.isWorker) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, interval)
  timer.unref()
}
