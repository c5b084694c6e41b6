import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { type Ending, launch } from './service.ts'
import { until } from './until.ts'

/** A service of several processes, the first of which listens. */
export interface Crew {
  readonly pid: number
  readonly url: string
  readonly ended: Promise<Ending>
  /** The processes that answer, as soon as there are two. */
  serving(): Promise<number[]>
  /** Over a connection of its own, so that any of them may answer. */
  get(path: string): Promise<CrewAnswer>
}

export interface CrewAnswer {
  readonly status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents freely
  readonly body: any
  readonly rateLimit: string
}

export async function startCrew(env: Record<string, string>): Promise<Crew> {
  const { child, ended } = launch({ WORKERS: '2', ...env, LOG_LEVEL: 'info' })
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += chunk
  })
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(`The service has ended: ${stderr}`)))
  failed.catch(() => {})
  await Promise.race([until(() => said.includes('Try:')), failed])
  const [, url = ''] = /Listening on (\S+)\. Try:/.exec(said) ?? []
  return {
    pid: child.pid as number,
    url,
    ended,
    async serving() {
      const requests = () => [...said.matchAll(/"pid":(\d+),.*"msg":"Request"/g)]
      const pids = () => [...new Set(requests().map(([, pid]) => Number(pid)))].filter(isAlive)
      await until(async () => {
        await ask(`${url}/errors`)
        return pids().length >= 2
      })
      return pids()
    },
    get: (path) => ask(url + path),
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

function ask(url: string): Promise<CrewAnswer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { accept: '*/*' } }, async (answer) => {
      const body = answer.headers['content-type']?.includes('json') ? await json(answer) : answer.resume() && null
      resolve({ status: answer.statusCode, body, rateLimit: String(answer.headers.ratelimit) })
    }).once('error', reject)
  })
}
