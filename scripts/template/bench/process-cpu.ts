import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** Returns milliseconds of CPU since the start of some processes. */
export type ReadCpu = () => number

const ticksPerSecond = 100

/** Reads the CPU of all processes of the PostgreSQL server. Zero if it runs on another machine or system. */
export async function createDatabaseCpu(database: pg.Client): Promise<ReadCpu> {
  const { rows } = await database.query('select pg_backend_pid() as pid')
  const parent = readStat(rows[0].pid)?.parent
  return () => (parent === undefined ? 0 : readProcessCpu(parent))
}

/** Returns the milliseconds of CPU of a process and its children, from /proc. */
export function readProcessCpu(pid: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined
    if (stat?.parent === pid || name === String(pid)) ticks += stat?.ticks ?? 0
  }
  return (ticks * 1000) / ticksPerSecond
}

/** The parent of a process, and its CPU in ticks of the clock. Undefined if there is no such process. */
function readStat(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the process, in brackets, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}
