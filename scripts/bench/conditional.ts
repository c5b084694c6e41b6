import { readArguments } from '../support/arguments.ts'
import { withPostgres } from '../support/postgres.ts'
import { load, type Run } from './load.ts'
import { type MeasuredService, startApplication } from './measured-service.ts'
import { median } from './report.ts'
import { seed } from './seed.ts'
import { get, type WorkItem, type WorkRequest } from './work-items.ts'

const usage = `npm run bench:conditional -- [options]

Measures the cost of entity tags: the service with the plugin conditional-requests relative to the service without it, and
a 304 relative to its 200, in alternating runs.

  --rounds n       default: 9
  --seconds n      seconds of a round; default: 2
  --connections n  default: 8`

const { values } = readArguments({
  usage,
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '8' },
  },
})
const gzip = { 'accept-encoding': 'gzip' }

await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, '10')
  const withTags = await startApplication(databaseUrl)
  const withoutTags = await startApplication(databaseUrl, { DISABLED_PLUGINS: 'conditional-requests' })
  try {
    const reads = {
      'page of 50, without tag': '/albums?page[size]=50',
      'one release, with tag': '/releases/1',
      'one album and its artist, with tag': '/albums/1041',
    }
    for (const [name, path] of Object.entries(reads)) {
      const item = toItem(name, get(path))
      await compare(name, [item, withTags], [item, withoutTags])
    }
    for (const path of ['/albums/1041', '/albums/1041?include=artist,tracks']) await compareNotModified(withTags, path)
  } finally {
    await Promise.all([withTags.stop(), withoutTags.stop()])
  }
})

async function compareNotModified(service: MeasuredService, path: string): Promise<void> {
  const request = { ...get(path), headers: gzip }
  const response = await fetch(service.url + path, { headers: gzip })
  const bytes = (await response.text()).length
  const tag = response.headers.get('etag') ?? ''
  const conditional = { ...request, headers: { ...gzip, 'if-none-match': tag } }
  const name = `304 of ${path}, ${bytes} bytes, ${response.headers.get('content-encoding') ?? 'not compressed'}`
  await compare(name, [toItem(name, conditional), service], [toItem(name, request), service])
}

type Measured = readonly [item: WorkItem, service: MeasuredService]

/** Prints the median of the ratios of neighbouring runs. */
async function compare(name: string, first: Measured, second: Measured): Promise<void> {
  for (const measured of [first, second]) await run(measured, 4)
  const pairs: [Run, Run][] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = round % 2 ? null : await run(first)
    const other = await run(second)
    pairs.push([before ?? (await run(first)), other])
  }
  const cpu = median(pairs.map(([a, b]) => a.cpu / b.cpu))
  const rate = median(pairs.map(([a, b]) => a.perSecond / b.perSecond))
  console.log(`${name}: CPU ${cpu.toFixed(3)}, requests per second ${rate.toFixed(3)}`)
}

async function run([item, service]: Measured, seconds = Number(values.seconds)): Promise<Run> {
  const result = await load(item, service, Number(values.connections), seconds)
  if (result.failed > 0) throw new Error(`${item.name}: ${result.failed} requests failed.`)
  return result
}

function toItem(name: string, request: WorkRequest): WorkItem {
  return { name, goal: 1, reads: true, requests: async () => [request] }
}
