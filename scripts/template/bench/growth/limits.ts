import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import autocannon from 'autocannon'
import type pg from 'pg'
import { type MeasuredService, startApplication } from '../measured-service.ts'
import type { Statement } from '../probe.ts'
import { median } from '../report.ts'
import { findTypeLimits } from './many-types.ts'

/** A measured value and the largest value that is acceptable. */
export interface Limit {
  readonly name: string
  readonly value: number
  readonly goal: number
}

/** Measures what grows with the number of rows, relations and requests, and the CPU of a start. */
export async function findLimits(
  service: MeasuredService,
  database: pg.Client,
  databaseUrl: string,
  isQuick: boolean,
): Promise<Limit[]> {
  return [
    await includeGrowth(service),
    await pageGrowth(service),
    await cursorGrowth(service, database, isQuick ? 2_000 : 10_000, isQuick ? 20_000 : 1_000_000),
    await heapGrowth(service, isQuick ? 5_000 : 200_000),
    await startUpCpu(databaseUrl),
    ...(await findTypeLimits(database, databaseUrl, isQuick ? 50 : 10_000)),
  ]
}

/** Measures CPU seconds until the first response, with the compile cache of `node scripts/warm.ts`: the median of five. */
async function startUpCpu(databaseUrl: string): Promise<Limit> {
  spawnSync(process.execPath, [resolve(import.meta.dirname, '../../../warm.ts')], { stdio: 'ignore' })
  const seconds: number[] = []
  for (let start = 0; start < 5; start++) seconds.push(await cpuToFirstResponse(databaseUrl))
  return { name: 'CPU seconds to the first response', value: median(seconds), goal: 0.8 }
}

async function cpuToFirstResponse(databaseUrl: string): Promise<number> {
  const service = await startApplication(databaseUrl)
  await (await fetch(`${service.url}/albums/1001`)).arrayBuffer()
  const { cpu } = await service.read()
  await service.stop()
  return cpu / 1000
}

/** Measures the heap growth in MB between a tenth of the requests and all of them. */
async function heapGrowth(service: MeasuredService, requests: number): Promise<Limit> {
  await sendRequests(service, requests / 10)
  const { heap: early } = await service.read({ collect: true })
  await sendRequests(service, requests - requests / 10)
  const { heap: late } = await service.read({ collect: true })
  return {
    name: `MB of heap gained between ${requests / 10} and ${requests} requests`,
    value: (late - early) / 1e6,
    goal: 10,
  }
}

/** Measures the CPU of a page of 50 rows relative to a page of 5: the median of alternating rounds, without the first. */
async function pageGrowth(service: MeasuredService): Promise<Limit> {
  const ratios: number[] = []
  for (let round = 0; round < 4; round++) {
    const small = await measureCpu(service, '/tracks?page%5Bsize%5D=5')
    ratios.push((await measureCpu(service, '/tracks?page%5Bsize%5D=50')) / small)
  }
  return { name: 'CPU of a page of 50 divided by CPU of a page of 5', value: median(ratios.slice(1)), goal: 6 }
}

/** Counts the statements that one more relation in an include path adds. */
async function includeGrowth(service: MeasuredService): Promise<Limit> {
  const shallow = await recordStatements(service, '/albums?include=artist,tracks')
  const deep = await recordStatements(service, '/albums?include=artist,tracks.playlists')
  return { name: 'statements for one more relation in a path', value: deep.length - shallow.length, goal: 1 }
}

/** Measures the buffers that a cursor page reads when the table grows from `few` rows to `many`. */
async function cursorGrowth(service: MeasuredService, database: pg.Client, few: number, many: number): Promise<Limit> {
  const path = `/admin/users?page%5Bsize%5D=50&page%5Bafter%5D=${cursorAfter(1020)}`
  await addUsers(database, few)
  const before = await countBuffers(await recordStatements(service, path), database)
  await addUsers(database, many - few)
  const after = await countBuffers(await recordStatements(service, path), database)
  await database.query("delete from users where email like 'grown-%'")
  return { name: `buffers of a cursor page with ${many} rows, relative to ${few}`, value: after / before, goal: 1.2 }
}

async function addUsers(database: pg.Client, count: number): Promise<void> {
  await database.query(
    `insert into users (email, display_name)
     select 'grown-' || gen_random_uuid() || '@example.com', 'Grown' from generate_series(1, $1)`,
    [count],
  )
  await database.query('vacuum analyze users')
}

function cursorAfter(id: number): string {
  return Buffer.from(JSON.stringify({ k: ['id'], v: [id], d: 'after' })).toString('base64url')
}

async function sendRequests({ url }: MeasuredService, amount: number): Promise<void> {
  const requests = [{ path: '/albums/1041' }, { path: '/albums?page%5Bsize%5D=5' }, { path: '/tracks?sort=title' }]
  await autocannon({ url, connections: 16, amount, requests })
}

async function measureCpu(service: MeasuredService, path: string): Promise<number> {
  const before = await service.read()
  const result = await autocannon({ url: service.url + path, connections: 8, duration: 3 })
  return ((await service.read()).cpu - before.cpu) / (result['2xx'] || 1)
}

async function recordStatements(service: MeasuredService, path: string): Promise<readonly Statement[]> {
  await service.read({ listen: true })
  const response = await fetch(service.url + path, { headers: service.headers })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
  return (await service.read()).statements
}

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

async function countBuffers(statements: readonly Statement[], database: pg.Client): Promise<number> {
  let buffers = 0
  // Background statements of the process do not read users.
  for (const { text, values } of statements.filter(({ text }) => text.includes('from "users"'))) {
    const { rows } = await database.query(`explain (analyze, buffers, format json) ${text}`, [...values])
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return buffers
}
