import { createRandomSource } from '#test/conformance/random.ts'
import { readArguments } from '../../../../scripts/support/arguments.ts'
import { formatTable } from '../../../../scripts/support/table.ts'
import { type ExpensiveSearchOptions, findExpensiveRequests } from './expensive/index.ts'
import { findFault } from './find-fault.ts'
import { type DrawnRequest, drawRequest } from './requests.ts'
import { type Service, withService } from './service.ts'

const usage = `npm run template -- fuzz [--requests n] [--seed n] [--embedded]
npm run template -- fuzz --expensive [--minutes n] [--scale n]

Sends requests that are generated from the types, rows and parameters of the application, valid and corrupted ones, in
rounds. Each round starts with the demo data and has its own seed, so that a failed round can be repeated.

  --requests n  the number of requests; default: 1000
  --seed n      repeats a run
  --embedded    on the embedded database; default: a PostgreSQL server
  --expensive   searches for the most expensive request
  --minutes n   the duration of that search; default: 5
  --scale n     the units of generated rows for that search; default: 200`

const { values } = readArguments({
  usage,
  options: {
    requests: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    embedded: { type: 'boolean', default: false },
    expensive: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    scale: { type: 'string', default: '200' },
  },
})
const [requests, seed] = [Number(values.requests ?? '1000'), Number(values.seed)]
const perRound = 1_000
const concurrency = 6
const maxGrowth = 30

const statuses = new Map<number, number>()
const failures: string[] = []

if (values.expensive) await findExpensiveRequests(expensiveSearchOptions())
else await runRounds()

function runRounds(): Promise<void> {
  return withService({ embedded: values.embedded, variables: { SCHEMA_VALIDATION: 'responses' } }, async (service) => {
    await service.reset()
    const before = heap()
    const startedAt = performance.now()
    for (let sent = 0, round = 0; sent < requests && failures.length < 20; sent += perRound, round++) {
      await runRound(service, seed + round, Math.min(perRound, requests - sent))
    }
    const seconds = (performance.now() - startedAt) / 1000
    const growth = heap() - before
    report(seconds, growth)
  })
}

/** Returns the options of the search, which takes five minutes by default. */
function expensiveSearchOptions(): ExpensiveSearchOptions {
  const isCounted = values.requests !== undefined && values.minutes === undefined
  return {
    seed,
    embedded: values.embedded,
    scale: Number(values.scale),
    requests: values.requests === undefined ? Number.POSITIVE_INFINITY : requests,
    milliseconds: isCounted ? Number.POSITIVE_INFINITY : Number(values.minutes ?? '5') * 60_000,
  }
}

async function runRound(service: Service, seed: number, count: number): Promise<void> {
  await service.reset()
  const draw = createRandomSource(seed)
  const drawn = Array.from({ length: count }, () => drawRequest(service.corpus, draw))
  const next = drawn.values()
  const worker = async () => {
    for (const request of next) await sendAndCheck(service, request, seed)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  for (const line of service.logged.splice(0)) fail(seed, `The service logs: ${line}`)
}

async function sendAndCheck({ send }: Service, request: DrawnRequest, seed: number): Promise<void> {
  try {
    const response = await send(request)
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const fault = findFault(request, response)
    if (fault) fail(seed, `${fault}\n${show(request)}\n${response.text.slice(0, 1_000)}`)
  } catch (error) {
    fail(seed, `No response: ${error}\n${show(request)}`)
  }
}

function fail(seed: number, message: string): void {
  const again = `npm run template -- fuzz --requests ${perRound} --seed ${seed}${values.embedded ? ' --embedded' : ''}`
  failures.push(`${message}\nRepeat: ${again}`)
}

function show({ method, path, headers, body }: DrawnRequest): string {
  return `${method} ${path}\n${JSON.stringify(headers)}\n${body?.slice(0, 2_000) ?? ''}`
}

/** Returns the used heap in megabytes after a garbage collection. */
function heap(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1_048_576
}

function report(seconds: number, growth: number): void {
  const rows = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => [`${status}`, `${count}`])
  console.log(formatTable([['STATUS', 'RESPONSES'], ...rows]))
  console.log(
    `\n${requests} requests of seed ${seed} in ${seconds.toFixed(1)} s; the heap grew by ${growth.toFixed(1)} MB.`,
  )
  for (const failure of failures) console.log(`\n${failure}`)
  if (growth > maxGrowth) console.log(`\nThe heap must not grow by more than ${maxGrowth} MB.`)
  if (failures.length > 0 || growth > maxGrowth) process.exitCode = 1
}
