import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createRequire } from 'node:module'

// Loaded into a service with --import: reports CPU, heap and statements of the process over its IPC channel. Counts calls of
// pg's client; records texts and values from the messages of its connections, whichever class a driver passes to the client.

interface Connection {
  query(text: string): void
  parse(message: { readonly name?: string; readonly text: string }, ...rest: unknown[]): void
  bind(message: { readonly statement?: string; readonly values?: readonly unknown[] }, ...rest: unknown[]): void
}

interface Pg {
  readonly Client: { prototype: { query(...args: unknown[]): unknown } }
  readonly Connection: { prototype: Connection }
}

// The service may belong to another checkout, with its own packages.
const pg: Pg = createRequire(process.argv[1] as string)('pg')
const { query } = pg.Client.prototype
const { query: sendText, parse, bind } = pg.Connection.prototype
/** The texts of prepared statements by connection and name. */
const texts = new WeakMap<Connection, Map<string, string>>()
let statements: Statement[] = []
let count = 0
let isRecording = false
const session = new Session()

pg.Client.prototype.query = function (this: unknown, ...args: unknown[]) {
  count++
  return query.apply(this, args)
}

Object.assign(pg.Connection.prototype, {
  query(this: Connection, text: string) {
    if (isRecording) statements.push({ text, values: [] })
    return sendText.call(this, text)
  },
  parse(this: Connection, ...[message, ...rest]: Parameters<Connection['parse']>) {
    if (!texts.has(this)) texts.set(this, new Map())
    texts.get(this)?.set(message.name ?? '', message.text)
    return parse.call(this, message, ...rest)
  },
  bind(this: Connection, ...[message, ...rest]: Parameters<Connection['bind']>) {
    const text = texts.get(this)?.get(message.statement ?? '')
    if (isRecording && text !== undefined) statements.push({ text, values: message.values ?? [] })
    return bind.call(this, message, ...rest)
  },
} satisfies Connection)

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
