import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { eventually } from '#test/support/eventually.ts'
import { type Ending, launch } from './service.ts'

/** A service of several worker processes, the first of which listens. */
export interface ClusteredService {
  readonly pid: number
  readonly url: string
  readonly ended: Promise<Ending>
  /** Returns the ids of the processes that serve requests, as soon as there are two. */
  servingPids(): Promise<number[]>
  /** Sends a request on its own connection, so that any process may serve it. */
  get(path: string): Promise<ClusterResponse>
}

export interface ClusterResponse {
  readonly status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests read documents without types
  readonly body: any
  readonly rateLimit: string
}

export async function startClusteredService(env: Record<string, string>): Promise<ClusteredService> {
  const { child, ended } = launch({ WORKERS: '2', ...env, LOG_LEVEL: 'info' })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(`The service has ended: ${stderr}`)))
  failed.catch(() => {})
  await Promise.race([eventually(() => /Listening on .*\n/.test(output)), failed])
  const [, url = ''] = /Listening on (\S+)\./.exec(output) ?? []
  return {
    pid: child.pid as number,
    url,
    ended,
    async servingPids() {
      const requests = () => [...output.matchAll(/"pid":(\d+),.*"msg":"Request"/g)]
      const pids = () => [...new Set(requests().map(([, pid]) => Number(pid)))].filter(isAlive)
      await eventually(async () => {
        await send(`${url}/errors`)
        return pids().length >= 2
      })
      return pids()
    },
    get: (path) => send(url + path),
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function send(url: string): Promise<ClusterResponse> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { accept: '*/*' } }, async (response) => {
      const body = response.headers['content-type']?.includes('json') ? await json(response) : response.resume() && null
      resolve({ status: response.statusCode, body, rateLimit: String(response.headers.ratelimit) })
    }).once('error', reject)
  })
}
