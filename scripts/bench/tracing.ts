import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { readArguments } from '../support/arguments.ts'
import { withPostgres } from '../support/postgres.ts'
import { compareVariants, comparisonOptions, comparisonUsage, startVariant, stopVariants, toItem } from './compare.ts'
import { startApplication } from './measured-service.ts'
import { seed } from './seed.ts'
import { get } from './work-items.ts'

const usage = `npm run bench:tracing -- [options]

Measures the cost of the plugin tracing with an SDK that samples a part of the requests, and of the plugin slow-requests:
three processes with the plugin relative to three without it, in alternating runs.

  --sampled n      sampled part of the requests; default: 0.1
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
  NODE_OPTIONS: `--import=${resolve(import.meta.dirname, '../../test/support/tracing/start-sdk.ts')}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: values.sampled,
}

await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, '10')
  const items = Object.entries(reads).map(([name, path]) => toItem(name, get(path)))
  const all = toItem('all of them in turn', ...Object.values(reads).map(get))
  const start = (name: string, variables: Record<string, string>) =>
    startVariant(name, all, () => startApplication(databaseUrl, variables))
  const variants = [
    await start('without both', { DISABLED_PLUGINS: 'tracing,slow-requests' }),
    await start('slow-requests', { DISABLED_PLUGINS: 'tracing' }),
    await start(`${values.sampled} traced`, { DISABLED_PLUGINS: 'slow-requests', ...sdk }),
  ]
  try {
    for (const item of [...items, all]) await compareVariants(item, variants, values)
  } finally {
    await stopVariants(variants)
    collector.close()
  }
})
