import { Agent, get } from 'node:http'
import { maxPlans } from '#app/kernel/plan/plan-cache.ts'
import { parseQueryString } from '#app/kernel/request/query-string.ts'
import { readQuery } from '#kernel/operations'
import type { QueryContext } from '#kernel/plugin'
import { startApp } from '#test/support/app.ts'
import { closeTestDatabase, resetTestDatabase } from '#test/support/database.ts'
import { countCalls } from '../../../../scripts/template/bench/calls/count.ts'

// Started by bounds.test.ts with --expose-gc: fills the plans of the demo like a client that never repeats a request.

/** What was measured in this process. */
export interface Filling {
  readonly sizes: { readonly plans: number; readonly queries: number; readonly sent: number }
  /** Bytes after a garbage collection. */
  readonly heaps: readonly [before: number, after: number]
  /** Calls and promises of a request that is sent again. */
  readonly calls: readonly [before: Calls, after: Calls]
}

type Calls = readonly [calls: number, promises: number]

const texts = 50_000
const shapes = 5_000
const path = '/albums'

const attributes = ['title', 'averageRating', 'artwork', 'releasedAt', 'explicit', 'status', 'availableFrom']
const fields = [...attributes, 'availableUntil', 'releaseInfo', 'artist']
const sorts = ['title', '-title', 'status', 'releasedAt', '-releasedAt']

await resetTestDatabase()
const { app, client, close } = await startApp()
const agent = new Agent({ keepAlive: true, maxSockets: 4 })
const calls = [await count()]
const heaps = [heapAfterCollection()]
for (let shape = maxPlans; shape < shapes; shape++) read(buildSearch(shape))
for (let text = 0; text < texts; text++) for (let time = 0; time < 2; time++) read(`?filter[title]=${text}`)
// A plan keeps its statements when it is executed.
for (let shape = 0; shape < maxPlans; shape++) await send(shape)
const { sizes } = app.plans
heaps.push(heapAfterCollection())
calls.push(await count())
process.send?.({ sizes, heaps, calls })
agent.destroy()
await close()
await closeTestDatabase()
process.disconnect?.()

async function count(): Promise<Calls> {
  const { calls, promises } = await countCalls(client.url, [{ method: 'GET', path }])
  return [calls, promises]
}

/** Each number has a set of fields and an order of its own. */
function buildSearch(shape: number): string {
  const names = fields.filter((_, bit) => ((shape >> bit) & 1) === 1)
  return `?fields[albums]=${names}&sort=${sorts[shape >> fields.length]}&page[size]=1&include=`
}

function send(shape: number): Promise<void> {
  return new Promise((done, fail) => {
    get(client.url + path + buildSearch(shape), { agent }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`Shape ${shape} returns ${response.statusCode}.`))
      response.resume().once('end', done)
    }).once('error', fail)
  })
}

/** Reads a query as a request does. */
function read(search: string): void {
  const [server] = app.servers as [QueryContext['server']]
  const type = server.types.get('albums') as QueryContext['target']['type']
  const context: QueryContext = {
    app,
    server,
    kind: 'FetchCollection',
    target: { kind: 'collection', server, type },
    request: null,
    profiles: new Set(),
    visibility: null,
    strict: true,
    limits: app.config.limits,
  }
  app.plans.read(context, search, (reading) => readQuery(reading, parseQueryString(search)))
}

function heapAfterCollection(): number {
  for (let time = 0; time < 3; time++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
