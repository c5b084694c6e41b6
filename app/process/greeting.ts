import type { App } from '#kernel/plugin'
import type { ListenAddress } from './workers.ts'

/** The pages of plugins that the output at the start names. */
const pages: Readonly<Record<string, string>> = { home: '/', openapi: '/docs' }

const maxCollections = 3

/** Returns the pages of plugins and the collections with the most fields, of the default server. */
export function examplePaths({ plugins, registry }: Pick<App, 'plugins' | 'registry'>): string[] {
  const collections = [...registry.types.values()]
    .filter(({ servers, operations }) => servers.includes('default') && operations.has('FetchCollection'))
    .sort((one, other) => other.fields.size - one.fields.size)
    .slice(0, maxCollections)
  return [...plugins.flatMap(({ name }) => pages[name] ?? []), ...collections.map(({ uriType }) => `/${uriType}`)]
}

/** Prints the address of the service with URLs to try. */
export function printUrls({ address, port, paths }: ListenAddress, seeded = false): void {
  const base = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
  const urls = paths.map((path) => `\n  ${base}${path}`).join('')
  console.log(`${seeded ? 'The seeds are loaded. ' : ''}Listening on ${base}. Try:${urls}`)
}
