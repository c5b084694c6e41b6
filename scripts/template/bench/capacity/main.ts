import { readFileSync } from 'node:fs'
import { exitWithUsage, readArguments } from '../../../support/arguments.ts'
import { formatTable } from '../../../support/table.ts'
import type { Measurement } from '../report.ts'
import { checkModel } from './check.ts'
import { costsByItem, parseMix } from './items.ts'
import { capacityFor } from './model.ts'

const usage = `npm run template -- capacity --rate n [options] | --check

Computes processes, connections, replicas and memory for a number of requests per second, from the results of
npm run template -- bench.

  --rate n             requests per second
  --mix text           parts of the requests: 'one album=6,50 albums=3,create track=1'; default: all in equal parts
  --schema name        blog or demo; default: demo
  --results file       default: bench.json
  --utilization n      part of a CPU that may be busy; default: 0.6
  --database-cpus n    CPUs of one database server; default: 8
  --round-trip ms      network between service and database; default: 0.3
  --check              compares the model with the highest rates of three deployments on this machine instead`

const { values } = readArguments({
  usage,
  options: {
    rate: { type: 'string' },
    mix: { type: 'string' },
    schema: { type: 'string', default: 'demo' },
    results: { type: 'string', default: 'bench.json' },
    utilization: { type: 'string', default: '0.6' },
    'database-cpus': { type: 'string', default: '8' },
    'round-trip': { type: 'string', default: '0.3' },
    check: { type: 'boolean', default: false },
  },
})

interface SchemaResults {
  readonly schema: string
  readonly measured: readonly Measurement[]
  readonly memory: Readonly<Record<string, { readonly rss: number }>>
}

if (values.check) process.exitCode = (await checkModel()) ? 0 : 1
else printCapacity()

function printCapacity(): void {
  const rate = positive('rate', values.rate)
  const { measured, memory } = readResults()
  const mix = readMix(measured)
  const capacity = capacityFor({
    rate,
    mix,
    utilization: positive('utilization', values.utilization),
    databaseCpus: positive('database-cpus', values['database-cpus']),
    roundTrip: positive('round-trip', values['round-trip']),
    processMemory: (memory.ours?.rss ?? 0) / 1e6,
  })
  const rows: readonly (readonly [string, string])[] = [
    ['processes (WORKERS)', `${capacity.processes}, ${capacity.serviceCpus.toFixed(1)} CPUs busy`],
    ['memory of the processes', `${Math.ceil(capacity.memory)} MB`],
    ['DATABASE_POOL_SIZE', `${capacity.poolSize}`],
    ['connections of a pooler', `${capacity.poolerSize}, ${capacity.busyConnections.toFixed(1)} busy`],
    ['primary', `${capacity.primaryCpus.toFixed(1)} CPUs busy`],
    ['replicas', `${capacity.replicas}`],
  ]
  console.log(formatTable(rows.map(([name, value]) => [name, value])))
  if (capacity.exceedsPrimary) console.log('\nOne server cannot do the writes: partition the data (docs/scaling.md).')
}

function positive(name: string, text: string | undefined): number {
  const value = Number(text)
  return value > 0 ? value : exitWithUsage(`--${name} must be a number above 0`, usage)
}

function readResults(): SchemaResults {
  let all: readonly SchemaResults[]
  try {
    all = JSON.parse(readFileSync(values.results, 'utf8'))
  } catch {
    return exitWithUsage(`${values.results} cannot be read: run npm run template -- bench first`, usage)
  }
  const found = all.find(({ schema }) => schema === values.schema)
  return found ?? exitWithUsage(`${values.results} has no results of the schema '${values.schema}'`, usage)
}

function readMix(measured: readonly Measurement[]) {
  try {
    return parseMix(values.mix, costsByItem(measured))
  } catch (error) {
    return exitWithUsage((error as Error).message, usage)
  }
}
