import type { Logger } from 'pino'
import type { App } from '#kernel/plugin'
import type { Config } from '../config.ts'
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

/**
 * Returns a function that prints the address of the service: lines of text with URLs to try, or one entry of the log if
 * programs read it. The entry does not depend on LOG_LEVEL, because only it has the port if PORT is 0.
 */
export function createGreeting({ logFormat }: Pick<Config, 'logFormat'>, logger: Logger) {
  return ({ address, port, paths }: ListenAddress, seeded = false): void => {
    const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
    if (logFormat === 'json') {
      logger.child({}, { level: 'info' }).info({ url, seeded }, `Listening on ${url}.`)
      logger.flush()
      return
    }
    const urls = paths.map((path) => `\n  ${url}${path}`).join('')
    console.log(`${seeded ? 'The seeds are loaded. ' : ''}Listening on ${url}. Try:${urls}`)
  }
}
