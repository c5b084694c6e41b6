import { Agent, type RequestOptions, request } from 'node:http'
import { mediaType } from './client.ts'

/** What became of one request under load, and when, in milliseconds. */
export interface Shot {
  readonly status: number
  readonly milliseconds: number
  readonly retryAfter: string | undefined
}

/** Sends GET requests on connections of its own, as fast as they are asked for; what they answer is thrown away. */
export function shooter(url: string, connections: number): { shoot(path: string): Promise<Shot>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const options: RequestOptions = { agent, headers: { accept: mediaType } }
  const shoot = (path: string) =>
    new Promise<Shot>((resolve, reject) => {
      const began = performance.now()
      const sent = request(url + path, options, (answer) => {
        answer.resume().once('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            milliseconds: performance.now() - began,
            retryAfter: answer.headers['retry-after'],
          }),
        )
      })
      sent.once('error', reject).end()
    })
  return { shoot, close: () => agent.destroy() }
}

/** The time within which so many of a hundred are done. */
export function percentile(shots: readonly Shot[], percent: number): number {
  const times = shots.map(({ milliseconds }) => milliseconds).toSorted((a, b) => a - b)
  return times[Math.ceil((times.length * percent) / 100) - 1] ?? 0
}
