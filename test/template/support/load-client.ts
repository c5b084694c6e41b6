import { Agent, request } from 'node:http'
import { mediaType } from '#test/support/client.ts'

/** The result of one request under load. */
export interface LoadResult {
  readonly status: number
  readonly milliseconds: number
  readonly retryAfter: string | undefined
  /** Whether the server closes the connection after the response. */
  readonly isLast: boolean
}

export interface LoadClient {
  /** Sends GET, or POST if there is a body. */
  send(path: string, body?: string): Promise<LoadResult>
  close(): void
}

/** Creates a client with its own connections, which discards response bodies. */
export function createLoadClient(url: string, connections: number): LoadClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const send = (path: string, body?: string) =>
    new Promise<LoadResult>((resolve, reject) => {
      const startedAt = performance.now()
      const [method, headers] = body === undefined ? ['GET', readHeaders] : ['POST', writeHeaders(body)]
      const sent = request(url + path, { agent, method, headers }, (response) => {
        response.resume().once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            milliseconds: performance.now() - startedAt,
            retryAfter: response.headers['retry-after'],
            isLast: response.headers.connection === 'close',
          }),
        )
      })
      sent.once('error', reject).end(body)
    })
  return { send, close: () => agent.destroy() }
}

const readHeaders = { accept: mediaType }

function writeHeaders(body: string) {
  return { accept: mediaType, 'content-type': mediaType, 'content-length': Buffer.byteLength(body) }
}

/** Returns the time within which this percentage of the requests ended. */
export function percentile(results: readonly LoadResult[], percent: number): number {
  const times = results.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  return times[Math.ceil((times.length * percent) / 100) - 1] ?? 0
}
