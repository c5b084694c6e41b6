import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import { AssertionError } from 'chai'
import { PlanCache } from '#app/kernel/plan/plan-cache.ts'
import type { App } from '#kernel/plugin'
import { appObservers } from '#test/support/app.ts'
import { countsStatements } from '#test/support/statements.ts'

type Caches = App['plans']

/** Selects the caches of a request. Applications of other processes ignore it. */
const header = 'x-compare-plans'
const selectable = new Map<string, Caches>()
const selected = new AsyncLocalStorage<Caches>()

/** Headers that differ between two responses to the same request. */
const varying = ['age', 'date', 'server-timing', 'x-request-id']

let count = 0

export interface Comparison {
  /** Whether reads are sent once. */
  isPaused: boolean
  /** Throws the responses that differ, and forgets them. */
  throwDifferences(): void
  end(): void
}

/**
 * Sends every GET and HEAD of the tests again: with caches of its own, which are empty, then hold the text, then the plan;
 * without a plan that is kept; and with the plans of the application, which other requesters may have made. The responses must be
 * the same. Sent once are reads whose statements a test counts, and actions, whose handlers may count requests.
 */
export function compareReads(): Comparison {
  appObservers.add(selectCaches)
  const send = globalThis.fetch
  let differences: Error[] = []
  globalThis.fetch = async (input, init) => {
    const first = await send(input, init)
    if (comparison.isPaused || !isComparable(String(input), init?.method, first)) return first
    const expected = await toComparable(first.clone())
    const ofItsOwn = new PlanCache()
    const off = new PlanCache(0)
    const states = { cold: ofItsOwn, admitted: ofItsOwn, warm: ofItsOwn, off, shared: null }
    for (const [state, caches] of Object.entries(states)) {
      const actual = await toComparable(await sendWith(caches, (more) => send(input, withHeaders(init, more))))
      if (isDeepStrictEqual(actual, expected)) continue
      const message = `${input} returns another response when its plan is ${state}`
      differences.push(new AssertionError(message, { actual, expected, showDiff: true }))
    }
    return first
  }
  const comparison: Comparison = {
    isPaused: false,
    throwDifferences() {
      const [first, ...others] = differences
      differences = []
      if (!first) return
      for (const { message } of others) first.message += `\n${message}`
      throw first
    },
    end() {
      globalThis.fetch = send
      appObservers.delete(selectCaches)
    },
  }
  return comparison
}

function isComparable(url: string, method = 'GET', { headers }: Response): boolean {
  const isDocument = headers.get('content-type')?.startsWith('application/vnd.api+json') ?? false
  return ['GET', 'HEAD'].includes(method) && isDocument && !url.includes('/-actions/') && !countsStatements()
}

/** Lets requests of the test client select other caches of an application than its own. */
function selectCaches(app: App): void {
  const { plans } = app
  app.koa.middleware.unshift(({ req }, next) => {
    const caches = selectable.get(String(req.headers[header]))
    delete req.headers[header]
    return caches ? selected.run(caches, next) : next()
  })
  Object.defineProperty(app, 'plans', { get: () => selected.getStore() ?? plans })
}

async function sendWith(
  caches: Caches | null,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  if (!caches) return send({})
  const name = String(++count)
  selectable.set(name, caches)
  try {
    return await send({ [header]: name })
  } finally {
    selectable.delete(name)
  }
}

function withHeaders(init: RequestInit | undefined, more: Record<string, string>): RequestInit {
  const headers = new Headers(init?.headers)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return { ...init, headers }
}

async function toComparable(response: Response) {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !varying.includes(name)))
  const id = response.headers.get('x-request-id') ?? '-'
  return { status: response.status, headers, body: (await response.text()).replaceAll(id, '') }
}
