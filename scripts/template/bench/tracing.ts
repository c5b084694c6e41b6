import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { readArguments } from '../../support/arguments.ts'
import { withPostgres } from '../../support/postgres.ts'
import { compare, comparisonOptions, comparisonUsage, equalServices, toItem } from './compare.ts'
import { printShares } from './cpu-profile.ts'
import { load } from './load.ts'
import { startVariants } from './measured-service.ts'
import { seed } from './seed.ts'
import { get } from './work-items.ts'

const usage = `npm run template -- bench tracing [options]

Measures the cost of the plugin tracing with an SDK and a TRACING_RATIO, and of the plugin slow-requests:
an application with the plugin relative to one without it, in one process, in alternating runs. The ratios of equal
applications differ by some per cent, so that the part of the CPU that a profile finds in tracing is printed, too.

  --sampled n      TRACING_RATIO; default: 0.1
${comparisonUsage}`

const { values } = readArguments({
  usage,
  options: { sampled: { type: 'string', default: '0.1' }, ...comparisonOptions },
})

const reads = {
  'one album': '/albums/1041?include=',
  'one album and its artist': '/albums/1041',
  'page of 50': '/albums?page[size]=50&include=',
  'page of 50 with artists and tracks': '/albums?page[size]=50&include=artist,tracks',
}

/** Receives the spans and discards them. */
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end())
}).listen(0, '127.0.0.1')
await once(collector, 'listening')
const { port } = collector.address() as AddressInfo

const sdk = {
  NODE_OPTIONS: `--import=${resolve(import.meta.dirname, '../../../test/template/support/tracing/start-sdk.ts')}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  TRACING_RATIO: values.sampled,
}

await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, '10')
  const disabled = [['tracing', 'slow-requests'], ['tracing'], ['slow-requests']]
  const services = await startVariants(databaseUrl, [...disabled, ...disabled.toReversed()], sdk)
  const plain = equalServices(services, 0)
  const timed = equalServices(services, 1)
  const traced = equalServices(services, 2)
  const items = Object.entries(reads).map(([name, path]) => toItem(name, get(path)))
  const all = toItem('all of them in turn', ...Object.values(reads).map(get))
  try {
    for (const service of services) await load(all, service, 8, 10)
    for (const item of [...items, all]) {
      await printShares(item, traced, /plugins.tracing|@opentelemetry/, values.connections)
      await compare(`${item.name}, slow-requests`, [item, timed], [item, plain], values)
      await compare(`${item.name}, ${values.sampled} traced`, [item, traced], [item, plain], values)
    }
  } finally {
    await services[0]?.stop()
    collector.close()
  }
})
