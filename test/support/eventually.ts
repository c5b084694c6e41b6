import { setTimeout } from 'node:timers/promises'

/**
 * Polls until the check returns a truthy value, and returns this value. Throws if there is none in time. Only for changes
 * in other processes, which no event in this process announces.
 */
export async function eventually<T>(check: () => T | Promise<T>, seconds = 150): Promise<T> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const value = await check()
    if (value) return value
    if (performance.now() > end) throw new Error(`The condition was not met within ${seconds} seconds.`)
    await setTimeout(5)
  }
}
