import { statementsOf } from '#test/support/statements.ts'
import type { FuzzAnswer, FuzzRequest, Send } from '../send.ts'
import { countContents } from './contents.ts'

/** The cost of one request. Times are in milliseconds; of several repeats the smallest counts. */
export interface Cost {
  readonly status: number
  /** Of the service and, where it is embedded, of the database. */
  readonly cpu: number
  readonly wall: number
  readonly bytes: number
  readonly statements: number
  /** Growth of the resident memory, in bytes. */
  readonly memory: number
  readonly resources: number
  readonly identifiers: number
}

/** A request that takes longer is not repeated. */
const slow = 10_000

const noAnswer: FuzzAnswer = { status: 0, contentType: '', text: '' }

export async function measure(request: FuzzRequest, send: Send): Promise<Cost> {
  let answer: FuzzAnswer = noAnswer
  const memoryBefore = process.memoryUsage.rss()
  const before = process.cpuUsage()
  const began = performance.now()
  const statements = await statementsOf(async () => {
    answer = await send(request).catch(() => noAnswer)
  })
  const wall = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  const memory = Math.max(0, process.memoryUsage.rss() - memoryBefore)
  const { status, text } = answer
  const sizes = { bytes: Buffer.byteLength(text), statements: statements.length, memory, ...countContents(text) }
  return { status, cpu: (user + system) / 1000, wall, ...sizes }
}

/** Two more repeats, as long as the answer has the same status: other work of the machine makes times longer only. */
export async function repeat(request: FuzzRequest, first: Cost, send: Send): Promise<Cost> {
  let least = first
  for (let times = 0; times < 2 && first.wall < slow; times++) {
    const again = await measure(request, send)
    if (again.status !== first.status) break
    least = { ...least, cpu: Math.min(least.cpu, again.cpu), wall: Math.min(least.wall, again.wall) }
  }
  return least
}
