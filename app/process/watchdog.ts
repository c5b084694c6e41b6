import inspector from 'node:inspector'
import { Worker } from 'node:worker_threads'

/** Seconds without a turn of the event loop after which the process is ended. */
const defaultLimit = 60

/** What the watchdog thread is started with. */
export interface WatchdogData {
  /** The number of heartbeats; below zero while a debugger is attached, which may pause the process. */
  readonly heartbeats: Int32Array
  readonly limit: number
}

/**
 * Ends the process if its event loop is blocked for `limit` seconds: the embedded database runs in this thread, and a
 * service manager can restart a process that has ended, but does not detect one that hangs.
 */
export function startWatchdog(limit = defaultLimit): void {
  const heartbeats = new Int32Array(new SharedArrayBuffer(4))
  const beat = () => Atomics.store(heartbeats, 0, inspector.url() ? -1 : (Math.abs(heartbeats[0] ?? 0) + 1) % 2 ** 30)
  setInterval(beat, 1_000).unref()
  const workerData: WatchdogData = { heartbeats, limit }
  new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData }).unref()
}
