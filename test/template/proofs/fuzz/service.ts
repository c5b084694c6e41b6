import type { AddressInfo } from 'node:net'
import { appConfig, pluginVariables, readConfig } from '#app/config.ts'
import { createApp } from '#app/kernel/boot/create-app.ts'
import { declaredResources } from '#app/resources.ts'
import { servers } from '#app/servers.ts'
import { loadSeeds } from '#discovery'
import { createHttp } from '#http'
import { programMembers } from '#program'
import { createStore, migrate, openDatabase, type Seed, seed } from '#store'
import { makeFilterable, pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { withTestPostgres } from '../../../../scripts/support/postgres.ts'
import { discoverResources, loadSchema } from '../../../../scripts/support/project.ts'
import { type Corpus, readCorpus } from './corpus.ts'
import { createSender, type Send } from './send.ts'

/** The application under test, in this process. */
export interface Service {
  readonly corpus: Corpus
  readonly send: Send
  /** Errors that the service logged; empty in a successful run. */
  readonly logged: string[]
  /** Restores the demo data. */
  reset(): Promise<void>
}

export interface ServiceOptions {
  readonly embedded: boolean
  /** Units of generated rows beside the demo data; a unit has 1,000 tracks. */
  readonly scale?: number
  readonly variables?: Readonly<Record<string, string>>
}

export async function withService(options: ServiceOptions, run: (service: Service) => Promise<void>): Promise<void> {
  const logged: string[] = []
  const listen = (line: string) => {
    if (/syntax error|PANIC|FATAL/.test(line)) logged.push(line)
  }
  if (options.embedded) return serve(null, options, logged, run)
  return withTestPostgres((databaseUrl) => serve(databaseUrl, options, logged, run), listen)
}

async function serve(
  databaseUrl: string | null,
  { scale = 0, variables = {} }: ServiceOptions,
  logged: string[],
  run: (service: Service) => Promise<void>,
): Promise<void> {
  const discovery = await discoverResources()
  const database = await openDatabase({ databaseUrl, dataDir: null, ...(await loadSchema(discovery)) })
  await migrate(database)
  const config = readConfig({ NODE_ENV: 'test', ...variables }, pluginVariables(pluginsWithExpressions, {}))
  const app = await createApp({
    http: createHttp,
    members: programMembers,
    config: appConfig(config),
    plugins: pluginsWithExpressions,
    resources: makeFilterable(await declaredResources(discovery)),
    servers: servers(config),
    store: createStore(database),
    logger: {
      error: ({ err }: { err?: Error }, message) => void logged.push(`${message}: ${err?.stack ?? ''}`),
      warn: () => {},
      info: () => {},
    },
  })
  const unhandled = (error: unknown) => void logged.push(`Uncaught: ${error instanceof Error ? error.stack : error}`)
  process.on('unhandledRejection', unhandled).on('uncaughtException', unhandled)
  const seeds = await loadSeeds<Seed>(discovery)
  const reset = () => seed(database, seeds, { scale })
  await reset()
  const server = await app.listen(0, '127.0.0.1')
  const { send, close } = createSender((server.address() as AddressInfo).port)
  try {
    await run({ corpus: await readCorpus(app, send), send, logged, reset })
  } finally {
    process.off('unhandledRejection', unhandled).off('uncaughtException', unhandled)
    close()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    await app.close()
    await database.close()
  }
}
