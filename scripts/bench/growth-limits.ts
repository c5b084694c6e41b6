import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import autocannon from 'autocannon'
import type pg from 'pg'
import { type Contestant, ours } from './measured-service.ts'
import type { Statement } from './probe.ts'
import { median } from './report.ts'

/** Something that may not grow beyond a bound. */
export interface Limit {
  readonly name: string
  readonly value: number
  readonly goal: number
}

/** CPU seconds from the start of the process to its first answer, with the snapshot of `npm run warm`: the median of five. */
export async function startUp(databaseUrl: string): Promise<Limit> {
  spawnSync(process.execPath, [resolve(import.meta.dirname, '../warm.ts')], { stdio: 'ignore' })
  const seconds: number[] = []
  for (let start = 0; start < 5; start++) seconds.push(await cpuToFirstAnswer(databaseUrl))
  return { name: 'CPU seconds to the first answer', value: median(seconds), goal: 1.5 }
}

async function cpuToFirstAnswer(databaseUrl: string): Promise<number> {
  const service = await ours(databaseUrl)
  await (await fetch(`${service.url}/albums/1001`)).arrayBuffer()
  const { cpu } = await service.read()
  await service.stop()
  return cpu / 1000
}

/** How much larger the heap is after ten times as many requests, in MB. */
export async function heapGrowth(service: Contestant, requests: number): Promise<Limit> {
  await ask(service, requests / 10)
  const { heap: early } = await service.read({ collect: true })
  await ask(service, requests - requests / 10)
  const { heap: late } = await service.read({ collect: true })
  return {
    name: `MB of heap gained between ${requests / 10} and ${requests} requests`,
    value: (late - early) / 1e6,
    goal: 10,
  }
}

/** What ten times the rows of a page cost, in CPU. */
export async function pageGrowth(service: Contestant): Promise<Limit> {
  const small = await cpuOf(service, '/tracks?page%5Bsize%5D=5')
  const large = await cpuOf(service, '/tracks?page%5Bsize%5D=50')
  return { name: 'CPU of a page of 50 by that of a page of 5', value: large / small, goal: 10 }
}

/** Statements that a further relation of an include path adds. */
export async function includeGrowth(service: Contestant): Promise<Limit> {
  const shallow = await statementsOf(service, '/albums?include=artist,tracks')
  const deep = await statementsOf(service, '/albums?include=artist,tracks.playlists')
  return { name: 'statements for one more relation in a path', value: deep.length - shallow.length, goal: 1 }
}

/** Buffers of a cursor page in a table of ten times the rows, by those before; of so many that nobody reads them all. */
export async function cursorGrowth(service: Contestant, database: pg.Client): Promise<Limit> {
  const path = `/admin/users?page%5Bsize%5D=50&page%5Bafter%5D=${cursorAfter(1020)}`
  await addUsers(database, 2_000)
  const before = await buffersOf(await statementsOf(service, path), database)
  await addUsers(database, 18_000)
  const after = await buffersOf(await statementsOf(service, path), database)
  await database.query("delete from users where email like 'grown-%'")
  return { name: 'buffers of a cursor page in ten times the rows', value: after / before, goal: 1.2 }
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

async function ask({ url }: Contestant, amount: number): Promise<void> {
  const requests = [{ path: '/albums/1041' }, { path: '/albums?page%5Bsize%5D=5' }, { path: '/tracks?sort=title' }]
  await autocannon({ url, connections: 16, amount, requests })
}

async function cpuOf(service: Contestant, path: string): Promise<number> {
  const load = { url: service.url + path, connections: 8 }
  await autocannon({ ...load, duration: 1 })
  const before = await service.read()
  const result = await autocannon({ ...load, duration: 3 })
  return ((await service.read()).cpu - before.cpu) / (result['2xx'] || 1)
}

async function statementsOf(service: Contestant, path: string): Promise<readonly Statement[]> {
  await service.read({ listen: true })
  const answer = await fetch(service.url + path, { headers: service.headers })
  if (!answer.ok) throw new Error(`${path} is answered with ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
  return (await service.read()).statements
}

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

async function buffersOf(statements: readonly Statement[], database: pg.Client): Promise<number> {
  let buffers = 0
  // A process also has statements of its own.
  for (const { text, values } of statements.filter(({ text }) => text.includes('from "users"'))) {
    const { rows } = await database.query(`explain (analyze, buffers, format json) ${text}`, [...values])
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan }]
    buffers += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return buffers
}
