import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'

// Loaded into a service with --import: reports CPU, heap and statements of the process over its IPC channel.

const pg: { Client: { prototype: { query(...args: unknown[]): unknown } } } = createRequire(import.meta.url)('pg')
const { query } = pg.Client.prototype
let statements: Statement[] = []
let count = 0
let isRecording = false
const session = new Session()

pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  count++
  if (isRecording) statements.push(toStatement(args))
  return query.apply(this, args)
}

export interface ProbeRequest {
  /** Collect garbage first. */
  readonly collect?: boolean
  /** Record statements until the next request. */
  readonly listen?: boolean
  /** Start a CPU profile, or stop it and write it to the file. */
  readonly profile?: 'start' | { readonly file: string }
}

export interface ProbeReading {
  /** Milliseconds of CPU since the start of the process. */
  readonly cpu: number
  /** Bytes. */
  readonly heap: number
  /** Statements since the start of the process. */
  readonly count: number
  /** Statements recorded since the request with `listen`. */
  readonly statements: readonly Statement[]
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

process.on('message', async ({ collect, listen = false, profile }: ProbeRequest) => {
  if (collect) globalThis.gc?.()
  if (profile === 'start') await startProfile()
  else if (profile) await endProfile(profile.file)
  const { user, system } = process.cpuUsage()
  const reading: ProbeReading = {
    cpu: (user + system) / 1000,
    heap: process.memoryUsage().heapUsed,
    count,
    statements,
  }
  statements = []
  isRecording = listen
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
  const { text, values: ownValues } = first as Statement
  return { text, values: ownValues ?? (values as unknown[] | undefined) ?? [] }
}
