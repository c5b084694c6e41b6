import { readArguments } from '../support/arguments.ts'
import { withPostgres } from '../support/postgres.ts'
import {
  compare,
  compareVariants,
  comparisonOptions,
  comparisonUsage,
  startVariant,
  stopVariants,
  toItem,
} from './compare.ts'
import { type MeasuredService, startApplication } from './measured-service.ts'
import { seed } from './seed.ts'
import { get } from './work-items.ts'

const usage = `npm run bench:conditional -- [options]

Measures the cost of entity tags: three processes with the plugin conditional-requests relative to three without it, and a
304 relative to its 200, in alternating runs.

${comparisonUsage}`

const { values } = readArguments({ usage, options: comparisonOptions })
const gzip = { 'accept-encoding': 'gzip' }

const reads = {
  'page of 50, without tag': '/albums?page[size]=50',
  'one release, with tag': '/releases/1',
  'one album and its artist, with tag': '/albums/1041',
}

await withPostgres(async (databaseUrl) => {
  seed(databaseUrl, '10')
  const items = Object.entries(reads).map(([name, path]) => toItem(name, get(path)))
  const all = toItem('all of them in turn', ...Object.values(reads).map(get))
  const withoutPlugin = { DISABLED_PLUGINS: 'conditional-requests' }
  const variants = [
    await startVariant('without the plugin', all, () => startApplication(databaseUrl, withoutPlugin)),
    await startVariant('conditional-requests', all, () => startApplication(databaseUrl)),
  ]
  const [service] = variants[1]?.services ?? []
  try {
    for (const item of items) await compareVariants(item, variants, values)
    for (const path of ['/albums/1041', '/albums/1041?include=artist,tracks']) {
      await compareNotModified(service as MeasuredService, path)
    }
  } finally {
    await stopVariants(variants)
  }
})

async function compareNotModified(service: MeasuredService, path: string): Promise<void> {
  const request = { ...get(path), headers: gzip }
  const response = await fetch(service.url + path, { headers: gzip })
  const bytes = (await response.text()).length
  const tag = response.headers.get('etag') ?? ''
  const conditional = { ...request, headers: { ...gzip, 'if-none-match': tag } }
  const name = `304 of ${path}, ${bytes} bytes, ${response.headers.get('content-encoding') ?? 'not compressed'}`
  await compare(name, [toItem(name, conditional), service], [toItem(name, request), service], values)
}
