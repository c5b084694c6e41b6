import { readArguments } from '../../support/arguments.ts'
import { withPostgres } from '../../support/postgres.ts'
import { compare, comparisonOptions, comparisonUsage, equalServices, toItem } from './compare.ts'
import { printShares } from './cpu-profile.ts'
import { load } from './load.ts'
import { type MeasuredService as Service, startVariants } from './measured-service.ts'
import { seed } from './seed.ts'
import { get } from './work-items.ts'

const usage = `npm run template -- bench conditional [options]

Measures the cost of entity tags: an application with the plugin conditional-requests relative to one without it, in one process,
and a 304 relative to its 200, in alternating runs. The ratios of equal applications differ by some per cent, so that the part
of the CPU that a profile finds in the plugin is printed, too.

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
  const disabled = [[], ['conditional-requests']]
  const services = await startVariants(databaseUrl, [...disabled, ...disabled.toReversed()])
  const [withTags, withoutTags] = [equalServices(services, 0), equalServices(services, 1)]
  const [first] = services as [Service]
  try {
    for (const service of services) await load(toItem('all', ...Object.values(reads).map(get)), service, 8, 10)
    for (const [name, path] of Object.entries(reads)) {
      const item = toItem(name, get(path))
      await printShares(item, withTags, /plugins.conditional-requests/, values.connections)
      await compare(name, [item, withTags], [item, withoutTags], values)
    }
    for (const path of ['/albums/1041', '/albums/1041?include=artist,tracks']) await compareNotModified(first, path)
  } finally {
    await first.stop()
  }
})

async function compareNotModified(service: Service, path: string): Promise<void> {
  const request = { ...get(path), headers: gzip }
  const response = await fetch(service.url + path, { headers: gzip })
  const bytes = (await response.text()).length
  const tag = response.headers.get('etag') ?? ''
  const conditional = { ...request, headers: { ...gzip, 'if-none-match': tag } }
  const name = `304 of ${path}, ${bytes} bytes, ${response.headers.get('content-encoding') ?? 'not compressed'}`
  await compare(name, [toItem(name, conditional), [service]], [toItem(name, request), [service]], values)
}
