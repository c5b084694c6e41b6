import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { readArguments } from '../../support/arguments.ts'
import { withPostgres } from '../../support/postgres.ts'
import { printCalls } from './calls/print.ts'
import { findDifference } from './compare-responses.ts'
import { findLimits } from './growth/limits.ts'
import { countStatements, load, type Run } from './load.ts'
import { type MeasuredService, startApplication, startBaseline, startService } from './measured-service.ts'
import { createDatabaseCpu, type ReadCpu } from './process-cpu.ts'
import { type Measurement, printLimits, printTable, summarise } from './report.ts'
import { type BenchSchema, schemas } from './schema.ts'
import { mixed, type WorkItem } from './work-items.ts'

const usage = `npm run template -- bench [options]

Compares this service on two schemas with a service written by hand, and on one of them with the limit of the runtime, on
the same PostgreSQL server, in alternating runs.

  --quick          fewer and shorter rounds
  --schema name    blog or demo; default: both
  --only text      only work items whose name contains the text
  --calls          only count the calls of functions and the promises of a request, by folder
  --functions      with --calls: by function
  --limits         only the limits of growth: rows, types, relations, requests, and the start
  --baseline path  compares with another checkout of this project instead
  --log-level name of this service; default: info, written to /dev/null
  --rounds n       default: 7
  --seconds n      seconds of a round; default: 4
  --output file    default: bench.json`

const { values } = readArguments({
  usage,
  options: {
    quick: { type: 'boolean', default: false },
    schema: { type: 'string' },
    only: { type: 'string' },
    calls: { type: 'boolean', default: false },
    functions: { type: 'boolean', default: false },
    limits: { type: 'boolean', default: false },
    baseline: { type: 'string' },
    'log-level': { type: 'string', default: 'info' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    output: { type: 'string', default: 'bench.json' },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 3 : 7))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 4))
const warmSeconds = values.quick ? 10 : 60
const connectionCounts = values.quick ? [32] : [8, 32]

const results: object[] = []
const allMissed: string[] = []
for (const schema of schemas) {
  const selected = values.limits ? 'demo' : values.schema
  if (selected === undefined || selected === schema.name) {
    await withPostgres((databaseUrl) => runSchema(schema, databaseUrl))
  }
}
writeFileSync(values.output, `${JSON.stringify(results, null, 2)}\n`)
process.exitCode = allMissed.length > 0 ? 1 : 0

async function runSchema(schema: BenchSchema, databaseUrl: string): Promise<void> {
  const database = new pg.Client(databaseUrl)
  await database.connect()
  await schema.prepare(database, databaseUrl)
  await database.query('vacuum analyze') // as autovacuum would do some minutes later
  if (values.calls) {
    await database.end()
    return printCalls(schema, databaseUrl, values)
  }
  const services = await startServices(schema, databaseUrl)
  try {
    await runBenchmark(schema, services, database, databaseUrl)
  } finally {
    await database.end()
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function startServices(schema: BenchSchema, databaseUrl: string): Promise<readonly MeasuredService[]> {
  const variables = { LOG_LEVEL: values['log-level'], ...schema.variables }
  const ours = await startApplication(databaseUrl, variables)
  if (values.baseline) return [ours, await startBaseline(databaseUrl, values.baseline, variables)]
  const others = Object.entries(schema.others).map(([name, file]) => startService(name, file, databaseUrl))
  return [ours, ...(await Promise.all(others))]
}

async function runBenchmark(
  schema: BenchSchema,
  services: readonly MeasuredService[],
  database: pg.Client,
  databaseUrl: string,
): Promise<void> {
  const measured = values.limits ? [] : await measureItems(schema, services, database)
  const isWhole = values.only === undefined && schema.name === 'demo' && !values.baseline
  const limits = isWhole ? await findLimits(services[0] as MeasuredService, database, databaseUrl, values.quick) : []
  const memory = await Promise.all(
    services.map(async (service) => [service.name, await service.read({ collect: true })]),
  )
  const { text, missed } = summarise(measured, limits)
  for (const [name, { heap, rss }] of memory as [string, { heap: number; rss: number }][]) {
    console.log(`Memory of ${name} at the end: heap ${Math.round(heap / 1e6)} MB, RSS ${Math.round(rss / 1e6)} MB`)
  }
  printLimits(limits)
  console.log(text)
  results.push({ schema: schema.name, measured, limits, memory: Object.fromEntries(memory), missed })
  allMissed.push(...missed)
}

async function measureItems(
  schema: BenchSchema,
  services: readonly MeasuredService[],
  database: pg.Client,
): Promise<readonly Measurement[]> {
  const items = schema.items.filter(({ name }) => name.includes(values.only ?? ''))
  for (const item of items) await expectEqualResponses(item, schema, services)
  const mix = mixed(schema.items, 0.95)
  const readCpu = await createDatabaseCpu(database)
  // Warm as in production: all kinds of requests in turn.
  for (const service of services) {
    await schema.restore(database)
    await load(mix, service, 16, warmSeconds, readCpu)
  }
  const measured: Measurement[] = []
  const measureItem = async (item: WorkItem, connections: number) => {
    measured.push(await measure(item, schema, services, connections, database, readCpu))
    printTable(measured.slice(-1), measured.length === 1)
  }
  console.log(`\nSchema: ${schema.name}`)
  for (const item of items) for (const connections of connectionCounts) await measureItem(item, connections)
  if (values.only === undefined || values.only === 'mixed') await measureItem(mix, 16)
  return measured
}

async function expectEqualResponses(
  item: WorkItem,
  schema: BenchSchema,
  [ours, ...others]: readonly MeasuredService[],
): Promise<void> {
  for (const other of others) {
    const difference = await findDifference(item, ours as MeasuredService, other, schema.generatedValues)
    if (difference) throw new Error(`'${other.name}' returns another response:\n${difference}`)
  }
}

/** Changes the order of the services in every round, so that other load on the machine affects all. */
async function measure(
  item: WorkItem,
  schema: BenchSchema,
  services: readonly MeasuredService[],
  connections: number,
  database: pg.Client,
  readCpu: ReadCpu,
): Promise<Measurement> {
  const runs: Run[][] = services.map(() => [])
  const order = [...services.keys()]
  for (let round = 0; round < rounds; round++) {
    for (const index of round % 2 ? order.toReversed() : order) {
      if (!item.reads) await schema.restore(database)
      runs[index]?.push(await load(item, services[index] as MeasuredService, connections, seconds, readCpu))
    }
  }
  const { name, goal, reads } = item
  const statements: number[] = []
  for (const service of services) statements.push(await countStatements(item, service))
  return { item: name, goal, reads, connections, names: services.map((one) => one.name), runs, statements }
}
