import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { createLoadClient, type LoadResult } from './load-client.ts'

/** The result of a request of the traffic; status 0 means that there was no response. */
export interface TrafficResult extends Pick<LoadResult, 'status' | 'retryAfter'> {
  readonly isWrite: boolean
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly ended: number
}

export interface Traffic {
  readonly results: readonly TrafficResult[]
  /** The names of artists whose creation was acknowledged. */
  readonly acknowledged: ReadonlySet<string>
  /** Resolves with the last of `count` future results that match. */
  waitFor(count: number, matches: (result: TrafficResult) => boolean): Promise<TrafficResult>
  stop(): Promise<void>
}

/** Starts clients that alternate reads and writes, and continue shortly after any response. */
export function startTraffic(url: string, clients = 6): Traffic {
  const { send, close } = createLoadClient(url, clients)
  const results: TrafficResult[] = []
  const acknowledged = new Set<string>()
  const listeners = new Set<(result: TrafficResult) => void>()
  const run = randomUUID()
  let isRunning = true

  const sendNext = async (name: string | null) => {
    const startedAt = performance.now()
    const sent = name === null ? send('/albums?include=artist,tracks') : send('/artists', artist(name))
    const { status, retryAfter } = await sent.catch(() => ({ status: 0, retryAfter: undefined }))
    if (name !== null && status === 201) acknowledged.add(name)
    const result = { isWrite: name !== null, status, retryAfter, startedAt, ended: performance.now() }
    results.push(result)
    for (const listener of listeners) listener(result)
  }
  const runClient = async (client: number) => {
    for (let count = 0; isRunning; count++) {
      await sendNext(count % 2 === 0 ? null : `Artist ${run}-${client}-${count}`)
      await setTimeout(20)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)))
  return {
    results,
    acknowledged,
    waitFor: (count, matches) =>
      new Promise((resolve) => {
        let missing = count
        const listener = (result: TrafficResult) => {
          if (!matches(result) || --missing > 0) return
          listeners.delete(listener)
          resolve(result)
        }
        listeners.add(listener)
      }),
    async stop() {
      isRunning = false
      await running
      close()
    },
  }
}

export function isDone({ status }: TrafficResult): boolean {
  return status === 200 || status === 201
}

export function isUnavailable({ status, retryAfter }: TrafficResult): boolean {
  return status === 503 && retryAfter !== undefined
}

/** Returns whether the process died during a write, so that the outcome is unknown. */
export function isLost({ isWrite, status }: TrafficResult): boolean {
  return isWrite && (status === 502 || status === 0)
}

/** Asserts that every acknowledged row exists once. */
export async function expectDurable(databaseUrl: string, { acknowledged }: Traffic): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select name from artists where name = any($1)', [[...acknowledged]])
  await client.end()
  expect(rows.map(({ name }) => name)).to.have.members([...acknowledged])
}

function artist(name: string): string {
  return JSON.stringify({ data: { type: 'artists', attributes: { name } } })
}
