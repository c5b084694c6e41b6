import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { readArguments } from '../support/arguments.ts'
import { withPostgres } from '../support/postgres.ts'
import { findDifference } from './compare-responses.ts'
import { cursorGrowth, heapGrowth, includeGrowth, type Limit, pageGrowth, startUpCpu } from './growth-limits.ts'
import { countStatements, load, type Run } from './load.ts'
import { type MeasuredService, startApplication, startBaseline, startContender } from './measured-service.ts'
import { type Measurement, printLimits, printTable, summarise } from './report.ts'
import { seed } from './seed.ts'
import { changedTracks, twentyPlaylists, type WorkItem, workItems } from './work-items.ts'

const usage = `npm run bench -- [options]

Compares this service with a hand-written one on the same PostgreSQL server, in alternating runs.

  --quick          fewer and shorter rounds
  --only text      only work items whose name contains the text
  --baseline path  compares with another checkout of this project instead
  --scale n        units of generated rows; default: 10
  --rounds n       default: 7
  --seconds n      seconds of a round; default: 4
  --output file    default: bench.json`

const { values } = readArguments({
  usage,
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    baseline: { type: 'string' },
    scale: { type: 'string', default: '10' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    output: { type: 'string', default: 'bench.json' },
  },
})
const rounds = Number(values.rounds ?? (values.quick ? 3 : 7))
const seconds = Number(values.seconds ?? (values.quick ? 1 : 4))
const warmSeconds = values.quick ? 1 : 8
const connectionCounts = values.quick ? [32] : [8, 32]

process.exitCode = await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, values.scale)
  const start = values.baseline ? startBaseline : startContender
  const services = [await startApplication(databaseUrl), await start(databaseUrl, values.baseline ?? '')] as const
  const database = new pg.Client(databaseUrl)
  await database.connect()
  try {
    await assignPlaylists(database)
    await database.query('vacuum analyze') // as autovacuum would do some minutes later
    return await runBenchmark(services, database, databaseUrl)
  } finally {
    await database.end()
    await Promise.all(services.map((service) => service.stop()))
  }
})

/** Makes the user of the token the owner of the playlists that the bench changes. */
async function assignPlaylists(database: pg.Client): Promise<void> {
  const ids = twentyPlaylists.map(({ id }) => id)
  await database.query("update users set email = 'admin@example.com' where id = 1001")
  await database.query('update playlists set owner_id = 1001 where id = any($1)', [ids])
}

async function runBenchmark(
  services: readonly [MeasuredService, MeasuredService],
  database: pg.Client,
  databaseUrl: string,
): Promise<number> {
  const items = workItems.filter(({ name }) => name.includes(values.only ?? ''))
  const differences = await findDifferences(items, services)
  if (differences.length > 0) {
    console.error(`The services return different responses:\n${differences.join('\n')}`)
    return 1
  }
  for (const item of items) await warmUp(item, services, database)
  const measured: Measurement[] = []
  for (const item of items) {
    await warmUp(item, services, database)
    for (const connections of connectionCounts) {
      measured.push(await measure(item, services, connections, database))
      printTable(measured.slice(-1), measured.length === 1)
    }
  }
  const heaps = await Promise.all(
    services.map(async (service) => [service.name, (await service.read({ collect: true })).heap]),
  )
  const limits = values.only === undefined ? await findLimits(services[0], database, databaseUrl) : []
  const { text, missed } = summarise(measured, limits)
  writeFileSync(
    values.output,
    `${JSON.stringify({ measured, limits, heaps: Object.fromEntries(heaps), missed }, null, 2)}\n`,
  )
  for (const [name, heap] of heaps) console.log(`Heap of ${name} at the end: ${Math.round(Number(heap) / 1e6)} MB`)
  printLimits(limits)
  console.log(text)
  return missed.length > 0 ? 1 : 0
}

async function findLimits(service: MeasuredService, database: pg.Client, databaseUrl: string): Promise<Limit[]> {
  return [
    await includeGrowth(service),
    await pageGrowth(service),
    await cursorGrowth(service, database),
    await heapGrowth(service, values.quick ? 5_000 : 200_000),
    await startUpCpu(databaseUrl),
  ]
}

async function findDifferences(
  items: readonly WorkItem[],
  [first, second]: readonly [MeasuredService, MeasuredService],
) {
  const found: string[] = []
  for (const item of items) {
    const difference = await findDifference(item, first, second)
    if (difference) found.push(difference)
  }
  return found
}

/** Alternates the services in every round, so that other load on the machine affects both. */
async function measure(
  item: WorkItem,
  services: readonly [MeasuredService, MeasuredService],
  connections: number,
  database: pg.Client,
): Promise<Measurement> {
  const runs: [Run[], Run[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const index of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      if (!item.reads) await restore(database)
      runs[index].push(await load(item, services[index], connections, seconds))
    }
  }
  const statements = [await countStatements(item, services[0]), await countStatements(item, services[1])] as const
  const { name, goal, reads } = item
  return { item: name, goal, reads, connections, ours: runs[0], handWritten: runs[1], statements }
}

/**
 * Runs until V8 has optimised the code, as in a long-running service: some ten thousand requests. Done for all items first
 * and again before each item, because other items make V8 optimise the same code differently.
 */
async function warmUp(item: WorkItem, services: readonly MeasuredService[], database: pg.Client): Promise<void> {
  for (const service of services) {
    if (!item.reads) await restore(database)
    await load(item, service, 32, warmSeconds)
  }
}

/** Deletes the rows that writes have added, so that every run starts with the same tables. */
async function restore(database: pg.Client): Promise<void> {
  await database.query("delete from tracks where title = 'Benchmark'")
  await database.query('delete from playlist_tracks where track_id between $1 and $2', [
    changedTracks.from,
    changedTracks.to,
  ])
  await database.query('vacuum tracks, playlist_tracks')
}
