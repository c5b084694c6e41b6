import autocannon from 'autocannon'
import { send } from './compare-responses.ts'
import type { Contestant } from './measured-service.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

/** What one run of load showed. */
export interface Run {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Milliseconds of the service's CPU per request. */
  readonly cpu: number
  readonly failed: number
}

export async function load(item: WorkItem, contestant: Contestant, connections: number, seconds: number): Promise<Run> {
  const requests = (await item.requests(contestant)).map(toRequest)
  let turn = 0
  const before = await contestant.read()
  const result = await autocannon({
    url: contestant.url,
    connections,
    duration: seconds,
    // Every connection asks for all of them in turn, each beginning with another one.
    setupClient: (client) => {
      client.setRequests([...requests.slice(turn), ...requests.slice(0, turn)])
      turn = (turn + Math.ceil(requests.length / connections)) % requests.length
    },
  })
  const after = await contestant.read()
  const answered = result['2xx'] || 1
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: (after.cpu - before.cpu) / answered,
    failed: result.non2xx + result.errors,
  }
}

function toRequest({ method, path, headers = {}, body }: WorkRequest): autocannon.Request {
  const encoded = path.replaceAll('[', '%5B').replaceAll(']', '%5D')
  return { method, path: encoded, headers: { ...headers }, ...(body !== undefined && { body }) }
}

/** How many statements one request costs, transaction and all; the least of some, because a process also has its own. */
export async function countStatements(item: WorkItem, contestant: Contestant): Promise<number> {
  const [request] = (await item.requests(contestant)) as [WorkRequest]
  const counts: number[] = []
  for (let time = 0; time < 4; time++) {
    const before = await contestant.read()
    await (await send(contestant, request)).arrayBuffer()
    counts.push((await contestant.read()).count - before.count)
  }
  return Math.min(...counts.slice(1))
}
