import autocannon from 'autocannon'
import { send } from './compare-responses.ts'
import type { MeasuredService } from './measured-service.ts'
import type { ReadCpu } from './process-cpu.ts'
import type { WorkItem, WorkRequest } from './work-items.ts'

/** The result of one load run. */
export interface Run {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** CPU milliseconds of the service per request. */
  readonly cpu: number
  /** CPU milliseconds of PostgreSQL per request. */
  readonly databaseCpu: number
  /** Bytes of a response, headers included. */
  readonly bytes: number
  readonly failed: number
}

export async function load(
  item: WorkItem,
  service: MeasuredService,
  connections: number,
  seconds: number,
  readDatabaseCpu: ReadCpu = () => 0,
): Promise<Run> {
  const requests = (await item.requests(service)).map(toRequest)
  let start = 0
  const before = await service.read()
  const databaseBefore = readDatabaseCpu()
  const result = await autocannon({
    url: service.url,
    connections,
    duration: seconds,
    // Every connection sends all requests, each starting at another one.
    setupClient: (client) => {
      client.setRequests([...requests.slice(start), ...requests.slice(0, start)])
      start = (start + Math.ceil(requests.length / connections)) % requests.length
    },
  })
  const after = await service.read()
  const answered = result['2xx'] + result['3xx']
  return {
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: (after.cpu - before.cpu) / (answered || 1),
    databaseCpu: (readDatabaseCpu() - databaseBefore) / (answered || 1),
    bytes: result.throughput.total / (answered || 1),
    failed: result['4xx'] + result['5xx'] + result.errors,
  }
}

function toRequest({ method, path, headers = {}, body }: WorkRequest): autocannon.Request {
  const encoded = path.replaceAll('[', '%5B').replaceAll(']', '%5D')
  return { method, path: encoded, headers: { ...headers }, ...(body !== undefined && { body }) }
}

/**
 * Counts the statements of one request, without begin and commit. Takes the minimum of several requests, because the
 * process also sends background statements.
 */
export async function countStatements(item: WorkItem, service: MeasuredService): Promise<number> {
  const requests = await item.requests(service)
  const counts: number[] = []
  for (let time = 0; time < 4; time++) {
    const before = await service.read()
    // Requests of all parts of the list: a PATCH with the title that a row already has would change nothing.
    const request = requests[Math.floor((time / 4) * requests.length)] as WorkRequest
    await (await send(service, request)).arrayBuffer()
    counts.push((await service.read()).count - before.count)
  }
  return Math.min(...counts.slice(1))
}
