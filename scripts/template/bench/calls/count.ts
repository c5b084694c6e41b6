import { createHook } from 'node:async_hooks'
import { Agent, request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WorkRequest } from '../work-items.ts'

/** What one request costs without noise: calls of functions of the project and promises that are created. */
export interface CallCount {
  readonly calls: number
  readonly promises: number
  /** Calls by function, the most first: `app/kernel/read/load.ts loadOne`. */
  readonly byFunction: readonly (readonly [name: string, calls: number])[]
}

const projectUrl = pathToFileURL(resolve(import.meta.dirname, '../../../..')).href
const counted = new RegExp(`^${projectUrl}/((?:app|plugins)/.*)`)
const warm = 20
const measured = 50

/**
 * Counts calls and promises of a request to an application of this process, after requests that fill its caches. A list of
 * requests is repeated if it is short.
 */
export async function countCalls(baseUrl: string, requests: readonly WorkRequest[]): Promise<CallCount> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const session = new Session()
  session.connect()
  const next = repeat(requests)
  try {
    await sendAll(baseUrl, next, agent, warm)
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return await countAll(session, () => sendAll(baseUrl, next, agent, measured))
  } finally {
    session.disconnect()
    agent.destroy()
  }
}

async function countAll(session: Session, send: () => Promise<void>): Promise<CallCount> {
  let promises = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises++
    },
  })
  await session.post('Profiler.takePreciseCoverage') // the counts before
  hook.enable()
  await send().finally(() => hook.disable())
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const byFunction = result.flatMap(({ url: script, functions }) => {
    const file = counted.exec(script)?.[1]
    if (file === undefined) return []
    return functions.flatMap(({ functionName, ranges: [range] }): [string, number][] =>
      functionName !== '' || range?.startOffset !== 0
        ? [[`${file} ${functionName || '(anonymous)'}`, (range?.count ?? 0) / measured]]
        : [],
    )
  })
  const used = byFunction.filter(([, calls]) => calls > 0).sort(([, a], [, b]) => b - a)
  const calls = used.reduce((sum, [, count]) => sum + count, 0)
  return { calls, promises: promises / measured, byFunction: used }
}

function repeat(requests: readonly WorkRequest[]): () => WorkRequest {
  let index = 0
  return () => requests[index++ % requests.length] as WorkRequest
}

/** Sends requests one after the other, without promises of its own. */
function sendAll(baseUrl: string, next: () => WorkRequest, agent: Agent, count: number): Promise<void> {
  return new Promise((done, fail) => {
    const send = (left: number): unknown => {
      if (left === 0) return done()
      const { method, path, headers, body } = next()
      const sent = request(baseUrl + path, { method, agent, headers }, (response) => {
        const { statusCode = 0 } = response
        if (statusCode < 200 || statusCode > 299) fail(new Error(`${method} ${path} returns ${statusCode}.`))
        response.resume().once('end', () => setImmediate(send, left - 1))
      })
      return sent.once('error', fail).end(body)
    }
    send(count)
  })
}
