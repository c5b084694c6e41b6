import { existsSync, readFileSync } from 'node:fs'

const file = '/proc/stat'

/**
 * Returns a function that returns the percentage of CPU time since its last call that other machines of the same host have
 * taken from this one (steal time). 0 if the operating system does not count it.
 */
export function createStolenTime(): () => number {
  let last = readTimes()
  return () => {
    const now = readTimes()
    const all = now.all - last.all
    const stolen = now.stolen - last.stolen
    last = now
    return all > 0 ? (100 * stolen) / all : 0
  }
}

/** Reads the first line of the file: `cpu`, then user, nice, system, idle, iowait, irq, softirq and steal time. */
function readTimes() {
  const [line = ''] = existsSync(file) ? readFileSync(file, 'utf8').split('\n', 1) : []
  const times = line.split(/\s+/).slice(1, 9).map(Number)
  return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 }
}
