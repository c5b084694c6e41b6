import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { withPostgres } from '../support/postgres.ts'
import { difference } from './compare-responses.ts'
import { cursorGrowth, heapGrowth, includeGrowth, type Limit, pageGrowth, startUp } from './growth-limits.ts'
import { countStatements, load, type Run } from './load.ts'
import { type Contestant, handWritten, ours } from './measured-service.ts'
import { type Measured, printLimits, printTable, summarise } from './report.ts'
import { changedTracks, twentyPlaylists, type WorkItem, workItems } from './work-items.ts'

/** Measures this service against one written by hand, on the same PostgreSQL, in turn. */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
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
  seed(databaseUrl)
  const contestants = [await ours(databaseUrl), await handWritten(databaseUrl)] as const
  const database = new pg.Client(databaseUrl)
  await database.connect()
  try {
    await own(database)
    await database.query('vacuum analyze') // as the server itself would, some minutes from now
    return await compete(contestants, database, databaseUrl)
  } finally {
    await database.end()
    await Promise.all(contestants.map((contestant) => contestant.stop()))
  }
})

/** Gives the playlists that the bench changes to the user its token names. */
async function own(database: pg.Client): Promise<void> {
  const ids = twentyPlaylists.map(({ id }) => id)
  await database.query("update users set email = 'admin@example.com' where id = 1001")
  await database.query('update playlists set owner_id = 1001 where id = any($1)', [ids])
}

async function compete(
  contestants: readonly [Contestant, Contestant],
  database: pg.Client,
  databaseUrl: string,
): Promise<number> {
  const items = workItems.filter(({ name }) => name.includes(values.only ?? ''))
  const differences = await findDifferences(items, contestants)
  if (differences.length > 0) {
    console.error(`The services do not answer the same:\n${differences.join('\n')}`)
    return 1
  }
  for (const item of items) await warmUp(item, contestants, database)
  const measured: Measured[] = []
  for (const item of items) {
    await warmUp(item, contestants, database)
    for (const connections of connectionCounts) {
      measured.push(await measure(item, contestants, connections, database))
      printTable(measured.slice(-1), measured.length === 1)
    }
  }
  const heaps = await Promise.all(contestants.map(async (one) => [one.name, (await one.read({ collect: true })).heap]))
  const limits = values.only === undefined ? await findLimits(contestants[0], database, databaseUrl) : []
  const { text, missed } = summarise(measured, limits)
  writeFileSync(
    values.output,
    `${JSON.stringify({ measured, limits, heaps: Object.fromEntries(heaps), missed }, null, 2)}\n`,
  )
  for (const [name, heap] of heaps) console.log(`Heap of ${name} after it all: ${Math.round(Number(heap) / 1e6)} MB`)
  printLimits(limits)
  console.log(text)
  return missed.length > 0 ? 1 : 0
}

async function findLimits(service: Contestant, database: pg.Client, databaseUrl: string): Promise<Limit[]> {
  return [
    await includeGrowth(service),
    await pageGrowth(service),
    await cursorGrowth(service, database),
    await heapGrowth(service, values.quick ? 5_000 : 200_000),
    await startUp(databaseUrl),
  ]
}

async function findDifferences(items: readonly WorkItem[], [one, other]: readonly [Contestant, Contestant]) {
  const found: string[] = []
  for (const item of items) {
    const different = await difference(item, one, other)
    if (different) found.push(different)
  }
  return found
}

/** Both in turn, round by round, so that whatever else the machine does meets both. */
async function measure(
  item: WorkItem,
  contestants: readonly [Contestant, Contestant],
  connections: number,
  database: pg.Client,
): Promise<Measured> {
  const runs: [Run[], Run[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    for (const index of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      if (!item.reads) await restore(database)
      runs[index].push(await load(item, contestants[index], connections, seconds))
    }
  }
  const statements = [await countStatements(item, contestants[0]), await countStatements(item, contestants[1])] as const
  const { name, goal, reads } = item
  return { item: name, goal, reads, connections, ours: runs[0], handWritten: runs[1], statements }
}

/**
 * A service in production has long been compiled when most of its requests come: some ten thousand take that long. It is
 * done before all others, and again right before an item, because they have the same code compiled in other ways.
 */
async function warmUp(item: WorkItem, contestants: readonly Contestant[], database: pg.Client): Promise<void> {
  for (const contestant of contestants) {
    if (!item.reads) await restore(database)
    await load(item, contestant, 32, warmSeconds)
  }
}

/** The rows that writes have added go, so that every run starts from the same tables. */
async function restore(database: pg.Client): Promise<void> {
  await database.query("delete from tracks where title = 'Benchmark'")
  await database.query('delete from playlist_tracks where track_id between $1 and $2', [
    changedTracks.from,
    changedTracks.to,
  ])
  await database.query('vacuum tracks, playlist_tracks')
}

function seed(databaseUrl: string): void {
  const { status } = spawnSync(
    process.execPath,
    [resolve(import.meta.dirname, '../seed.ts'), '--scale', values.scale],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DATABASE_URL: databaseUrl },
    },
  )
  if (status !== 0) throw new Error('The rows could not be loaded.')
}
