import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'

// Loaded into a service with --import: reports CPU, heap and statements of the process over its IPC channel.

interface Pg {
  readonly Client: { prototype: { query(...args: unknown[]): unknown } }
}

// The service may belong to another checkout, with its own packages.
const pg: Pg = createRequire(process.argv[1] as string)('pg')
const { query } = pg.Client.prototype
let statements: Statement[] = []
let count = 0
let isRecording = false
const session = new Session()

pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  if (!/^(begin|commit|rollback)/.test(toStatement(args).text)) count++
  if (isRecording) statements.push(toStatement(args))
  return query.apply(this, args)
}

/** Reads the arguments of pg's `query`: a text and its values, or an object that has both. */
function toStatement([first, second]: unknown[]): Statement {
  if (typeof first === 'string') return { text: first, values: Array.isArray(second) ? second : [] }
  const { text = '', values = [] } = first as Partial<Statement>
  return { text, values }
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
  /** Bytes of the process in main memory. */
  readonly rss: number
  /** Statements since the start of the process, without the begin and end of transactions. */
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
    rss: process.memoryUsage.rss(),
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
