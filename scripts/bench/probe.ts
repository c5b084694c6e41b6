import { createRequire } from 'node:module'

// Loaded into both services with --import: answers what the bench asks of a process, over its channel.

const pg: { Client: { prototype: { query(...args: unknown[]): unknown } } } = createRequire(import.meta.url)('pg')
const { query } = pg.Client.prototype
let statements = 0
let texts: string[] | null = null

pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  statements++
  texts?.push(textOf(args[0]))
  return query.apply(this, args)
}

export interface Reading {
  /** Milliseconds of CPU since the start of the process. */
  readonly cpu: number
  /** Bytes after a collection. */
  readonly heap: number
  readonly statements: number
  /** Their texts since the last reading, when they were asked for. */
  readonly texts: readonly string[]
}

process.on('message', ({ collect, listen }: { collect?: boolean; listen?: boolean }) => {
  if (collect) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const reading: Reading = {
    cpu: (user + system) / 1000,
    heap: process.memoryUsage().heapUsed,
    statements,
    texts: texts ?? [],
  }
  texts = listen ? [] : null
  process.send?.(reading)
})
// The channel alone does not keep the process alive.
process.channel?.unref()

function textOf(first: unknown): string {
  return typeof first === 'string' ? first : String((first as { text?: string } | null)?.text)
}
