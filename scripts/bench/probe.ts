import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'

// Loaded into a service with --import: answers what the bench asks of the process, over its channel.

const pg: { Client: { prototype: { query(...args: unknown[]): unknown } } } = createRequire(import.meta.url)('pg')
const { query } = pg.Client.prototype
let statements: Statement[] = []
let count = 0
let listening = false
const session = new Session()

pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  count++
  if (listening) statements.push(toStatement(args))
  return query.apply(this, args)
}

export interface Question {
  /** Collect garbage first. */
  readonly collect?: boolean
  /** Keep the texts of statements from now on, until the next question. */
  readonly listen?: boolean
  /** Begin a CPU profile, or end it in this file. */
  readonly profile?: 'start' | { readonly file: string }
}

export interface Reading {
  /** Milliseconds of CPU since the start of the process. */
  readonly cpu: number
  /** Bytes. */
  readonly heap: number
  /** Statements since the start of the process. */
  readonly count: number
  /** Those that were listened to. */
  readonly statements: readonly Statement[]
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

process.on('message', async ({ collect, listen = false, profile }: Question) => {
  if (collect) globalThis.gc?.()
  if (profile === 'start') await startProfile()
  else if (profile) await endProfile(profile.file)
  const { user, system } = process.cpuUsage()
  const reading: Reading = {
    cpu: (user + system) / 1000,
    heap: process.memoryUsage().heapUsed,
    count,
    statements,
  }
  statements = []
  listening = listen
  process.send?.(reading)
})

async function startProfile(): Promise<void> {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
}

async function endProfile(file: string): Promise<void> {
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  writeFileSync(file, JSON.stringify(profile))
}

function toStatement([first, values]: readonly unknown[]): Statement {
  if (typeof first === 'string') return { text: first, values: (values as unknown[] | undefined) ?? [] }
  const { text, values: own } = first as Statement
  return { text, values: own ?? (values as unknown[] | undefined) ?? [] }
}
