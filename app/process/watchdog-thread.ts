import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { WatchdogData } from './watchdog.ts'

// The thread of the watchdog. It shares only the number of heartbeats with the event loop that it checks.

const { heartbeats, limit } = workerData as WatchdogData
let last = 0
let silentSeconds = 0

setInterval(() => {
  const current = Atomics.load(heartbeats, 0)
  silentSeconds = current === last && current >= 0 ? silentSeconds + 1 : 0
  last = current
  if (silentSeconds < limit) return
  writeSync(2, `The event loop has been blocked for ${limit} seconds; the process ends. Is the disk full?\n`)
  process.kill(process.pid, 'SIGKILL')
}, 1_000)
