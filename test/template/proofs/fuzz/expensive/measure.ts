import { statementsOf } from '#test/support/statements.ts'
import type { FuzzRequest, FuzzResponse, Send } from '../send.ts'
import { countContents } from './contents.ts'

/** The cost of one request. Times are in milliseconds; of several repeats the smallest counts. */
export interface Cost {
  readonly status: number
  /** CPU time of the service and, if it is embedded, of the database. */
  readonly cpu: number
  readonly wall: number
  readonly bytes: number
  readonly statements: number
  /** Growth of the resident memory, in bytes. */
  readonly memory: number
  readonly resources: number
  readonly identifiers: number
}

/** A slower request is not repeated. */
const slow = 10_000

const noResponse: FuzzResponse = { status: 0, contentType: '', headers: {}, text: '' }

export async function measure(request: FuzzRequest, send: Send): Promise<Cost> {
  let response: FuzzResponse = noResponse
  const memoryBefore = process.memoryUsage.rss()
  const before = process.cpuUsage()
  const startedAt = performance.now()
  const statements = await statementsOf(async () => {
    response = await send(request).catch(() => noResponse)
  })
  const wall = performance.now() - startedAt
  const { user, system } = process.cpuUsage(before)
  const memory = Math.max(0, process.memoryUsage.rss() - memoryBefore)
  const { status, text } = response
  const sizes = { bytes: Buffer.byteLength(text), statements: statements.length, memory, ...countContents(text) }
  return { status, cpu: (user + system) / 1000, wall, ...sizes }
}

/** Repeats the request twice while the status is the same, because other load on the machine only increases times. */
export async function repeat(request: FuzzRequest, first: Cost, send: Send): Promise<Cost> {
  let least = first
  for (let times = 0; times < 2 && first.wall < slow; times++) {
    const again = await measure(request, send)
    if (again.status !== first.status) break
    least = { ...least, cpu: Math.min(least.cpu, again.cpu), wall: Math.min(least.wall, again.wall) }
  }
  return least
}
