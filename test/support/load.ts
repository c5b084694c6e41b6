import { Agent, request } from 'node:http'
import { mediaType } from './client.ts'

/** What became of one request under load. */
export interface Shot {
  readonly status: number
  readonly milliseconds: number
  readonly retryAfter: string | undefined
  /** Its connection is closed after it. */
  readonly isLast: boolean
}

export interface Shooter {
  /** GET, or POST where there is a body. */
  shoot(path: string, body?: string): Promise<Shot>
  close(): void
}

/** Sends requests on connections of its own, as fast as they are asked for; what they answer is thrown away. */
export function shooter(url: string, connections: number): Shooter {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const shoot = (path: string, body?: string) =>
    new Promise<Shot>((resolve, reject) => {
      const began = performance.now()
      const [method, headers] = body === undefined ? ['GET', reading] : ['POST', writing(body)]
      const sent = request(url + path, { agent, method, headers }, (answer) => {
        answer.resume().once('error', reject)
        answer.once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            milliseconds: performance.now() - began,
            retryAfter: answer.headers['retry-after'],
            isLast: answer.headers.connection === 'close',
          }),
        )
      })
      sent.once('error', reject).end(body)
    })
  return { shoot, close: () => agent.destroy() }
}

const reading = { accept: mediaType }

function writing(body: string) {
  return { accept: mediaType, 'content-type': mediaType, 'content-length': Buffer.byteLength(body) }
}

/** The time within which so many of a hundred are done. */
export function percentile(shots: readonly Shot[], percent: number): number {
  const times = shots.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  return times[Math.ceil((times.length * percent) / 100) - 1] ?? 0
}
