import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import pg from 'pg'
import { type Shot, shooter } from './load.ts'

/** What became of a request of the traffic; the status is 0 when there was no answer. */
export interface Passage extends Pick<Shot, 'status' | 'retryAfter'> {
  readonly isWrite: boolean
  /** On the clock of `performance.now()`. */
  readonly began: number
  readonly ended: number
}

export interface Traffic {
  readonly passages: readonly Passage[]
  /** The names of artists whose creation was acknowledged. */
  readonly acknowledged: ReadonlySet<string>
  /** From now on until so many passages are like that; answers the last of them. */
  until(count: number, isLike: (passage: Passage) => boolean): Promise<Passage>
  stop(): Promise<void>
}

/** Clients that read and write in turn and, whatever they are answered, go on after a moment. */
export function startTraffic(url: string, clients = 6): Traffic {
  const { shoot, close } = shooter(url, clients)
  const passages: Passage[] = []
  const acknowledged = new Set<string>()
  const watchers = new Set<(passage: Passage) => void>()
  const run = randomUUID()
  let goesOn = true

  const pass = async (name: string | null) => {
    const began = performance.now()
    const shot = name === null ? shoot('/albums?include=artist,tracks') : shoot('/artists', artist(name))
    const { status, retryAfter } = await shot.catch(() => ({ status: 0, retryAfter: undefined }))
    if (name !== null && status === 201) acknowledged.add(name)
    const passage = { isWrite: name !== null, status, retryAfter, began, ended: performance.now() }
    passages.push(passage)
    for (const watch of watchers) watch(passage)
  }
  const go = async (client: number) => {
    for (let count = 0; goesOn; count++) {
      await pass(count % 2 === 0 ? null : `Passer-by ${run}-${client}-${count}`)
      await setTimeout(20)
    }
  }
  const going = Promise.all(Array.from({ length: clients }, (_, client) => go(client)))
  return {
    passages,
    acknowledged,
    until: (count, isLike) =>
      new Promise((resolve) => {
        let missing = count
        const watch = (passage: Passage) => {
          if (!isLike(passage) || --missing > 0) return
          watchers.delete(watch)
          resolve(passage)
        }
        watchers.add(watch)
      }),
    async stop() {
      goesOn = false
      await going
      close()
    },
  }
}

export function isDone({ status }: Passage): boolean {
  return status === 200 || status === 201
}

export function isRefused({ status, retryAfter }: Passage): boolean {
  return status === 503 && retryAfter !== undefined
}

/** A process has died over it: whether it is done, nobody can tell. */
export function isLost({ isWrite, status }: Passage): boolean {
  return isWrite && (status === 502 || status === 0)
}

/** All that was acknowledged is there, once. */
export async function expectKept(databaseUrl: string, { acknowledged }: Traffic): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query('select name from artists where name = any($1)', [[...acknowledged]])
  await client.end()
  expect(rows.map(({ name }) => name)).to.have.members([...acknowledged])
}

function artist(name: string): string {
  return JSON.stringify({ data: { type: 'artists', attributes: { name } } })
}
