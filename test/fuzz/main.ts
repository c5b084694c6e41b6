import { parseArgs } from 'node:util'
import { createDraw } from '#test/specification/random.ts'
import { formatTable } from '../../scripts/support/table.ts'
import { type DearestOptions, findDearest } from './dearest/index.ts'
import { judge } from './judge.ts'
import { type DrawnRequest, drawRequest } from './requests.ts'
import { type Service, withService } from './service.ts'

/**
 * Sends requests that are put together from the types, rows and words of the application, right ones and spoiled ones.
 * They go in rounds, each on the demo data and with a seed of its own: one that failed can be sent again by itself.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedded: { type: 'boolean', default: false },
    dearest: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    scale: { type: 'string', default: '200' },
  },
})
const [requests, seed] = [Number(values.requests ?? '1000'), Number(values.seed)]
const perRound = 1_000
const atOnce = 6
const maxGrowth = 30

const statuses = new Map<number, number>()
const failures: string[] = []

if (values.dearest) await findDearest(dearestOptions())
else await playRounds()

function playRounds(): Promise<void> {
  return withService({ embedded: values.embedded, variables: { SCHEMA_VALIDATION: 'responses' } }, async (service) => {
    await service.reset()
    const before = heap()
    const began = performance.now()
    for (let sent = 0, round = 0; sent < requests && failures.length < 20; sent += perRound, round++) {
      await playRound(service, seed + round, Math.min(perRound, requests - sent))
    }
    const seconds = (performance.now() - began) / 1000
    const growth = heap() - before
    report(seconds, growth)
  })
}

/** Without a limit of its own, the search takes five minutes. */
function dearestOptions(): DearestOptions {
  const isCounted = values.requests !== undefined && values.minutes === undefined
  return {
    seed,
    embedded: values.embedded,
    scale: Number(values.scale),
    requests: values.requests === undefined ? Number.POSITIVE_INFINITY : requests,
    milliseconds: isCounted ? Number.POSITIVE_INFINITY : Number(values.minutes ?? '5') * 60_000,
  }
}

async function playRound(service: Service, seed: number, count: number): Promise<void> {
  await service.reset()
  const draw = createDraw(seed)
  const drawn = Array.from({ length: count }, () => drawRequest(service.ground, draw))
  const next = drawn.values()
  const work = async () => {
    for (const request of next) await play(service, request, seed)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (const told of service.told.splice(0)) fail(seed, `The service says: ${told}`)
}

async function play({ send }: Service, request: DrawnRequest, seed: number): Promise<void> {
  try {
    const answer = await send(request)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const fault = judge(request, answer)
    if (fault) fail(seed, `${fault}\n${show(request)}\n${answer.text.slice(0, 1_000)}`)
  } catch (error) {
    fail(seed, `No answer: ${error}\n${show(request)}`)
  }
}

function fail(seed: number, what: string): void {
  const again = `npm run fuzz -- --requests ${perRound} --seed ${seed}${values.embedded ? ' --embedded' : ''}`
  failures.push(`${what}\nAgain: ${again}`)
}

function show({ method, path, headers, body }: DrawnRequest): string {
  return `${method} ${path}\n${JSON.stringify(headers)}\n${body?.slice(0, 2_000) ?? ''}`
}

/** In megabytes, when nothing is left that nobody needs. */
function heap(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1_048_576
}

function report(seconds: number, growth: number): void {
  const rows = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => [`${status}`, `${count}`])
  console.log(formatTable([['STATUS', 'ANSWERS'], ...rows]))
  console.log(
    `\n${requests} requests of seed ${seed} in ${seconds.toFixed(1)} s; the heap grew by ${growth.toFixed(1)} MB.`,
  )
  for (const failure of failures) console.log(`\n${failure}`)
  if (growth > maxGrowth) console.log(`\nThe heap must not grow by more than ${maxGrowth} MB.`)
  if (failures.length > 0 || growth > maxGrowth) process.exitCode = 1
}
