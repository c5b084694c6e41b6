import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { readArguments, readInteger } from '../../../support/arguments.ts'
import { freePort } from '../../../support/free-port.ts'
import { withPostgres } from '../../../support/postgres.ts'
import { formatTable } from '../../../support/table.ts'
import { headersOf, type MeasuredService, startService } from '../measured-service.ts'
import { createDatabaseCpu } from '../process-cpu.ts'
import { seed } from '../seed.ts'
import { Reader } from './reader.ts'

const usage = `npm run template -- bench live [options]

Measures streams of one process on a PostgreSQL server while albums change: the time from a request that changes an album until
each stream has the change, CPU and memory. Then clients stop reading: they are disconnected, and resume without a gap.

  --streams n     default: 500
  --principals n  streams of one principal share their reads; default: one principal for each stream
  --rate n        changes per second; default: 10
  --rows n        albums of each stream; default: 50
  --include path  of the streams; default: none
  --seconds n     default: 60
  --slow n        clients that stop reading; default: 20`

const { values } = readArguments({
  usage,
  options: {
    streams: { type: 'string', default: '500' },
    principals: { type: 'string' },
    rate: { type: 'string', default: '10' },
    rows: { type: 'string', default: '50' },
    include: { type: 'string', default: '' },
    seconds: { type: 'string', default: '60' },
    slow: { type: 'string', default: '20' },
  },
})
const integer = (name: keyof typeof values) => readInteger(name, values[name] ?? '', usage)
const [streams, rate, rows, seconds, slow] = (['streams', 'rate', 'rows', 'seconds', 'slow'] as const).map(integer) as [
  number,
  number,
  number,
  number,
  number,
]
const principals = values.principals === undefined ? streams : integer('principals')

/** Seconds for which the streams run before the measurement: the runtime compiles the code. */
const warmSeconds = 15
/** The largest accepted 99th percentile in milliseconds, and CPU seconds per second. */
const goals = { p99: 1_000, cpu: 1 }
const firstId = 100_001
const metricsPort = await freePort()

await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, '0')
  const database = new pg.Client(databaseUrl)
  await database.connect()
  const service = await startService('live', resolve(import.meta.dirname, 'serve.ts'), databaseUrl, {
    RATE_LIMIT: '0',
    METRICS_PORT: String(metricsPort),
    LIVE_STREAMS: String(streams + slow),
    LIVE_STREAMS_PER_PRINCIPAL: String(Math.max(slow, Math.ceil(streams / principals))),
  })
  try {
    await insertAlbums(database)
    const missed = [...(await measureStreams(service, database)), ...(await measureSlowReaders(service, database))]
    console.log(missed.length === 0 ? 'All goals reached.' : missed.join('\n'))
    process.exitCode = missed.length === 0 ? 0 : 1
  } finally {
    await service.stop()
    await database.end()
  }
})

/** Inserts the albums of the streams, and one for the clients that stop reading. */
async function insertAlbums(database: pg.Client): Promise<void> {
  await database.query(
    `insert into albums (id, title, status, explicit, published, artist_id)
     select $1 + n, case when n < $2 then 'Live ' else 'Heavy ' end || n || ' 0', 'released', false, true, 1 + n % 10
     from generate_series(0, $2::int) n`,
    [firstId, rows],
  )
  await database.query('vacuum analyze albums')
}

async function measureStreams(service: MeasuredService, database: pg.Client): Promise<string[]> {
  const sentAt: number[] = []
  const lags: number[] = []
  let first = Number.POSITIVE_INFINITY
  const onNumber = (number: number) => {
    if (number >= first) lags.push(performance.now() - (sentAt[number] as number))
  }
  const before = await service.read({ collect: true })
  const readers = await openStreams(service, onNumber)
  let number = 0
  const change = async (duration: number) => {
    const start = performance.now()
    const responses: Promise<void>[] = []
    for (let count = 0; count < duration * rate; count++) {
      await setTimeout(Math.max(0, start + (count * 1000) / rate - performance.now()))
      sentAt[++number] = performance.now()
      responses.push(changeAlbum(service, number))
    }
    await Promise.all(responses)
  }
  await change(warmSeconds)
  await setTimeout(2_000)
  first = number + 1
  const readDatabaseCpu = await createDatabaseCpu(database)
  const [start, databaseStart, startedAt] = [await service.read(), readDatabaseCpu(), performance.now()]
  await change(seconds)
  const elapsed = performance.now() - startedAt
  const [end, databaseEnd] = [await service.read(), readDatabaseCpu()]
  await setTimeout(3_000)
  const expected = number - first + 1
  const sorted = lags.toSorted((a, b) => a - b)
  const percentile = (percent: number) => sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN
  const cpu = (end.cpu - start.cpu) / elapsed
  const missing = expected * streams - lags.length
  const figures: readonly (readonly [string, string])[] = [
    ['streams', `${streams} of ${principals} principals, ${rows} albums each`],
    ['changes', `${expected}, ${rate} per second`],
    [
      'lag',
      `p50 ${percentile(50).toFixed(0)} ms, p99 ${percentile(99).toFixed(0)} ms, max ${percentile(100).toFixed(0)} ms`,
    ],
    [
      'CPU',
      `${cpu.toFixed(2)} s per s of the process, ${((databaseEnd - databaseStart) / elapsed).toFixed(2)} of PostgreSQL`,
    ],
    ['statements', `${((end.count - start.count) / (elapsed / 1000)).toFixed(0)} per second`],
    [
      'memory',
      `${toMegabytes(before.rss)} before, ${toMegabytes(start.rss)} at the start, ${toMegabytes(end.rss)} at the end`,
    ],
    ['missing', `${missing} of ${expected * streams}`],
  ]
  console.log(formatTable(figures.map(([name, figure]) => [name, figure])))
  for (const reader of readers) reader.close()
  while ((await countOpen()) > 0) await setTimeout(100)
  return [
    ...(percentile(99) < goals.p99 ? [] : [`The 99th percentile of the lag is ${percentile(99).toFixed(0)} ms.`]),
    ...(cpu < goals.cpu ? [] : [`The process needs ${cpu.toFixed(2)} CPUs.`]),
    ...(missing === 0 ? [] : [`${missing} changes did not arrive.`]),
  ]
}

async function openStreams(service: MeasuredService, onNumber: (number: number) => void): Promise<Reader[]> {
  const url = `${service.url}/albums?filter[title]=Live%20&include=${values.include}&fields[albums]=title,status,artist`
  const headers = await Promise.all(Array.from({ length: principals }, (_, index) => headersOf(`reader-${index}`)))
  const readers: Reader[] = []
  const open = async () => {
    for (let index = readers.length; index < streams; index = readers.length) {
      readers.push(null as never)
      readers[index] = await Reader.open(url, headers[index % principals] ?? {}, onNumber)
    }
  }
  await Promise.all(Array.from({ length: 8 }, open))
  return readers
}

/** Changes the albums in turn, so that a stream has each change for itself. */
async function changeAlbum({ url, headers }: MeasuredService, number: number): Promise<void> {
  const row = number % rows
  const data = { type: 'albums', id: String(firstId + row), attributes: { title: `Live ${row} ${number}` } }
  const response = await fetch(`${url}/albums/${data.id}`, {
    method: 'PATCH',
    headers: { ...headers, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

/** An album with much text changes until the clients that do not read it are disconnected. Then they connect again. */
async function measureSlowReaders(service: MeasuredService, database: pg.Client): Promise<string[]> {
  const url = `${service.url}/albums?filter[title]=Heavy%20&fields[albums]=title,artwork`
  const headers = await headersOf('slow')
  const readers = await Promise.all(Array.from({ length: slow }, () => Reader.open(url, headers)))
  for (const reader of readers) reader.pause()
  const before = (await service.read({ collect: true })).rss
  let number = 0
  let greatest = before
  const update = () =>
    database.query(`update albums set title = $1, artwork = repeat(chr(97 + $2::int % 26), 300000) where id = $3`, [
      `Heavy ${rows} ${++number}`,
      number,
      firstId + rows,
    ])
  let open = await countOpen()
  for (const end = performance.now() + 120_000; open > 0 && performance.now() < end; open = await countOpen()) {
    for (let count = 0; count < 10; count++) {
      await update()
      await setTimeout(100)
    }
    greatest = Math.max(greatest, (await service.read()).rss)
  }
  console.log(
    `${slow} clients do not read: ${slow - open} disconnected after ${number} changes of 0.3 MB; memory ${toMegabytes(before)}, at most ${toMegabytes(greatest)}.`,
  )
  for (const reader of readers) reader.resume()
  await Promise.all(readers.map((reader) => reader.closed))
  const resumed = await Promise.all(
    readers.map((reader) => Reader.open(url, { ...headers, 'last-event-id': reader.lastEventId })),
  )
  await update()
  await setTimeout(2_000)
  const current = resumed.filter(({ numbers }) => numbers.get(`Heavy ${rows}`) === number).length
  for (const reader of resumed) reader.close()
  console.log(`${current} of ${slow} have the last change after they have connected again.`)
  return [
    ...(open === 0 ? [] : [`${open} clients that do not read are still connected.`]),
    ...(current === slow ? [] : [`${slow - current} clients have a gap.`]),
  ]
}

async function countOpen(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(/^live_streams(?:\{.*\})? (\d+)/m.exec(text)?.[1])
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
